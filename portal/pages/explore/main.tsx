import { useCatalog, useSchema } from '../../api/catalog.ts'
import { pagePath } from '../../parts/language.ts'
import { Lead } from '../../parts/lead.tsx'
import { mount } from '../../parts/mount.tsx'
import { RefusedRead } from '../../parts/refused-read.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import '../../style/explore.css'
import { Explorer } from './explorer.tsx'

const slug = (pagePath()[1] ?? '').replaceAll('_', '-')
/** The server writes the title with the name of the dataset. */
const title = document.querySelector('h1')?.textContent

function ExplorePage() {
  const [catalog, schema] = [useCatalog().value, useSchema(slug).value]
  const dataset = catalog.value?.find(one => one.slug === slug)
  const refused = catalog.refused ?? schema.refused
  return (
    <>
      <h1>{title}</h1>
      <Lead />
      {refused && <RefusedRead refused={refused} plan={dataset?.minimum_plan} onRetry={() => location.reload()} />}
      {dataset && schema.value ? (
        <Explorer datasets={catalog.value!} described={{ dataset, schema: schema.value }} />
      ) : refused ? null : (
        <div class="explore-loading">
          <Skeleton />
        </div>
      )}
    </>
  )
}

mount(ExplorePage)
