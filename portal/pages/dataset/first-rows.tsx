import { titleOf, useCatalog, useSchema } from '../../api/catalog.ts'
import { Panel } from '../../parts/panel.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useUrlState } from '../../parts/url-state.ts'
import { firstAxes } from '../explore/axes.ts'
import { ColumnChart } from '../explore/column-chart.tsx'
import { completed, pathOf, queryOf, questionIn } from '../explore/question.ts'

const MOST = 250

/** Shows the rows of the dataset's example. The address contains the chart's axes. */
export function FirstRows({ slug }: { readonly slug: string }) {
  const [catalog, schema] = [useCatalog().value, useSchema(slug).value]
  const chosen = useUrlState('chart', '')
  const dataset = catalog.value?.find(one => one.slug === slug)
  if (!dataset || !schema.value)
    return (
      <div class="first-rows">
        <Skeleton />
      </div>
    )
  const described = { dataset, schema: schema.value }
  const question = completed(questionIn(''), described)
  const { columns } = schema.value
  const [x, y] = chosen.value.split(',')
  const axes = x && y ? { x, y } : firstAxes(columns, question.isDay)
  return (
    <Panel
      id="rows"
      isWide
      height={420}
      title={{ en: `First rows: ${titleOf(dataset)}`, zh: `資料預覽：${titleOf(dataset)}` }}
      reads={[{ slug, path: pathOf(described, question), query: { ...queryOf(question), limit: MOST } }]}
    >
      {([rows], picture) =>
        axes && (
          <ColumnChart
            columns={columns}
            rows={rows!.rows}
            axes={axes}
            onDrawn={picture}
            onChoose={next => {
              chosen.value = `${next.x},${next.y}`
            }}
          />
        )
      }
    </Panel>
  )
}
