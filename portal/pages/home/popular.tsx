import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useNames } from '../../api/names.ts'
import { pageOf } from '../../frame/hits.ts'
import { type MostTraded, mostTraded } from '../../frame/most-traded.ts'
import { linkTo, say } from '../../parts/language.ts'

/**
 * Shows the most traded securities.
 *
 * @param day last day, from the server. Null if there is no day
 */
export function Popular({ day }: { readonly day: string | null }) {
  const [popular, isNone] = [useSignal<MostTraded | null>(null), useSignal(false)]
  useEffect(() => {
    if (day !== null)
      void mostTraded(day).then(found => {
        popular.value = found
        isNone.value = found === null
      })
  }, [])
  const nameOf = useNames(popular.value?.hits.map(({ id }) => id) ?? [], { areInRows: true, asVisitor: true })
  if (day === null || isNone.value) return null
  return (
    <nav class="recent" id="popular" aria-labelledby="most-traded">
      <h2 id="most-traded">{say({ en: `Most traded on ${popular.value?.day ?? day}`, zh: `${popular.value?.day ?? day} 成交值排行` })}</h2>
      <ul>
        {(popular.value?.hits ?? []).map(hit => (
          <li key={hit.id}>
            <a href={linkTo(pageOf(hit))}>
              {nameOf(hit.id, hit.title)} <code>{hit.id}</code>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
