import type { CatalogDataset } from '../../../clients/typescript/src/index.ts'
import { titleOf } from '../../api/catalog.ts'
import { cadenceWords, freshnessWords, gapWords } from '../../parts/labels.ts'
import { linkTo, number, say } from '../../parts/language.ts'
import { Scroll } from '../../parts/scroll.tsx'
import { moment } from '../../parts/time.ts'

/** Known gap of datasets without an update schedule. */
const UNSCHEDULED = 'no_scheduled_producer'

export function StandingsTable({ standings }: { readonly standings: readonly CatalogDataset[] }) {
  const label = say({ en: 'All datasets', zh: '所有資料集' })
  return (
    <section id="standings">
      <h2>{label}</h2>
      <Scroll label={label}>
        <table>
          <thead>
            <tr>
              <th>{say({ en: 'Dataset', zh: '資料集' })}</th>
              <th>{say({ en: 'State', zh: '狀態' })}</th>
              <th>{say({ en: 'Data to', zh: '資料至' })}</th>
              <th>{say({ en: 'Published', zh: '發布時間' })}</th>
              <th>{say({ en: 'Next due', zh: '下次更新' })}</th>
              <th>{say({ en: 'Frequency', zh: '更新頻率' })}</th>
              <th class="number">{say({ en: 'Days behind', zh: '落後天數' })}</th>
            </tr>
          </thead>
          <tbody>
            {standings.map(standing => (
              <tr key={standing.slug}>
                <th scope="row">
                  <a href={linkTo(`/datasets/${standing.slug}`)}>{titleOf(standing)}</a>
                </th>
                <td
                  class={`state-${standing.freshness_state}`}
                  title={standing.known_gaps.includes(UNSCHEDULED) ? say(gapWords(UNSCHEDULED)) : undefined}
                >
                  {say(freshnessWords(standing.freshness_state))}
                </td>
                <td>{standing.data_as_of ?? '–'}</td>
                <td>{moment(standing.last_published_at)}</td>
                <td>{moment(standing.next_expected_at)}</td>
                <td>{say(cadenceWords(standing.cadence))}</td>
                <td class="number">{number(standing.lag_days, 0)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  )
}
