import type { CatalogDataset, Update } from '../../../clients/typescript/src/index.ts'
import { titleOf, useCatalog } from '../../api/catalog.ts'
import { publicationWords } from '../../parts/labels.ts'
import { LOCALE, linkTo, number, say } from '../../parts/language.ts'
import { Scroll } from '../../parts/scroll.tsx'
import { daysText, dayText } from '../../parts/time.ts'

const TIME = new Intl.DateTimeFormat(LOCALE, { timeStyle: 'short', hourCycle: 'h23', timeZone: 'Asia/Taipei' })
const SHOWN = 100

/**
 * Shows the publications of a day, and the datasets that are due.
 *
 * @param closed why the market is closed. Undefined if the market is open or the calendar is
 * unavailable
 */
export function Day({
  day,
  came,
  due,
  closed,
}: {
  readonly day: string
  readonly came: readonly Update[]
  readonly due: readonly CatalogDataset[]
  readonly closed: string | undefined
}) {
  const label = say({ en: 'Published', zh: '已發布' })
  const catalog = useCatalog().value.value
  const titleBy = (slug: string) => {
    const dataset = catalog?.find(one => one.slug === slug)
    return dataset ? titleOf(dataset) : slug
  }
  return (
    <section aria-live="polite" id="day">
      <h2>{dayText(day)}</h2>
      {closed !== undefined && (
        <p>
          {say({ en: 'The market is closed', zh: '休市' })}
          {closed && (
            <>
              {say({ en: ': ', zh: '：' })}
              <span lang="zh-Hant">{closed}</span>
            </>
          )}
        </p>
      )}
      {due.length > 0 && (
        <ul>
          {due.map(standing => (
            <li key={standing.slug}>
              <a href={linkTo(`/datasets/${standing.slug}`)}>{titleOf(standing)}</a>{' '}
              {say({
                en: `due at ${TIME.format(new Date(standing.next_expected_at!))}`,
                zh: `預計 ${TIME.format(new Date(standing.next_expected_at!))} 更新`,
              })}
            </li>
          ))}
        </ul>
      )}
      {came.length === 0 && <p class="dim">{say({ en: 'No publications on this day.', zh: '當日沒有發布紀錄。' })}</p>}
      {came.length > 0 && (
        <Scroll label={label}>
          <table>
            <thead>
              <tr>
                <th>{label}</th>
                <th>{say({ en: 'Dataset', zh: '資料集' })}</th>
                <th>{say({ en: 'Change', zh: '內容' })}</th>
                <th>{say({ en: 'Days', zh: '資料日期' })}</th>
                <th class="number">{say({ en: 'Added', zh: '新增' })}</th>
                <th class="number">{say({ en: 'Changed', zh: '變更' })}</th>
                <th class="number">{say({ en: 'Removed', zh: '移除' })}</th>
              </tr>
            </thead>
            <tbody>
              {came.slice(0, SHOWN).map(publication => (
                <tr key={publication.update_id}>
                  <td>{TIME.format(new Date(publication.published_at))}</td>
                  <td>
                    <a href={linkTo(`/datasets/${publication.slug}`)}>{titleBy(publication.slug)}</a>
                  </td>
                  <td>
                    {say(publicationWords(publication.kind))}
                    {publication.synthetic && ` · ${say({ en: 'sample data', zh: '合成資料' })}`}
                  </td>
                  <td>{daysText(publication.data_date_from, publication.data_date_to)}</td>
                  <td class="number">{number(publication.rows_added)}</td>
                  <td class="number">{number(publication.rows_changed)}</td>
                  <td class="number">{number(publication.rows_removed)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      {came.length > SHOWN && <p class="dim">{say({ en: `and ${came.length - SHOWN} more`, zh: `另有 ${came.length - SHOWN} 筆` })}</p>}
    </section>
  )
}
