import type { CoveredDay, CoveredDays } from '../../../clients/typescript/src/index.ts'
import { useAnswer } from '../../api/use.ts'
import { LANGUAGE, number, say } from '../../parts/language.ts'
import { RefusedRead } from '../../parts/refused-read.tsx'
import { Scroll } from '../../parts/scroll.tsx'

/** Shows the days with data as squares, darker for more rows. Marks trading days without rows. */
export function Days({ slug }: { readonly slug: string }) {
  const { value, refused, again } = useAnswer<CoveredDays>({ path: `/v2/coverage/${slug}/days` }).value
  if (value && value.column === null) return null
  const label = say({ en: 'Available days by year', zh: '各年度收錄日數' })
  const most = Math.max(1, ...(value?.data ?? []).map(({ rows }) => rows))
  // If fewer days have rows than have none, the rows are events, and the other days are no gaps.
  const isSparse = value !== null && (value.days_without_rows ?? 0) > value.days_with_rows
  const years = [...Map.groupBy(value?.data ?? [], ({ date }) => date.slice(0, 4))].toSorted(([one], [other]) => (one < other ? 1 : -1))
  return (
    <section id="days" class={isSparse ? 'sparse' : undefined}>
      <h2>{label}</h2>
      {refused && <RefusedRead refused={refused} plan={undefined} onRetry={again} />}
      {value && (
        <p>
          {say({
            en: `${number(value.days_with_rows, 0)} days have rows (column ${value.column})`,
            zh: `${number(value.days_with_rows, 0)} 日有資料（欄位 ${value.column}）`,
          })}
          {value.days_without_rows === null
            ? ''
            : say({
                en: `; ${number(value.days_without_rows, 0)} trading days between them have no rows`,
                zh: `；其間 ${number(value.days_without_rows, 0)} 個交易日無資料`,
              })}
          {say({ en: '.', zh: '。' })}
        </p>
      )}
      {years.length > 0 && (
        <>
          <Scroll label={label}>
            {years.map(([year, days]) => (
              <Year key={year} year={year} days={days} most={most} />
            ))}
          </Scroll>
          <details>
            <summary>{say({ en: 'Show as a table', zh: '以表格顯示' })}</summary>
            <YearTable years={years} />
          </details>
        </>
      )}
    </section>
  )
}

const DAY_MS = 86_400_000
/** Side of a square, and distance between the starts of two squares, in drawing units. */
const [SIDE, STEP] = [10, 12]
const [WEEKS, WEEKDAYS] = [54, 7]
const SHADES = 4

function Year({ year, days, most }: { readonly year: string; readonly days: readonly CoveredDay[]; readonly most: number }) {
  const first = Date.parse(`${year}-01-01`)
  const shift = new Date(first).getUTCDay()
  const lacking = days.filter(({ rows }) => rows === 0).length
  const words = say({
    en: `${year}: ${days.length - lacking} days with rows, ${lacking} trading days without`,
    zh: `${year} 年：${days.length - lacking} 日有資料，${lacking} 個交易日無資料`,
  })
  return (
    <div class="year">
      <b>{year}</b>
      <svg viewBox={`0 0 ${WEEKS * STEP} ${WEEKDAYS * STEP}`} role="img" aria-label={words}>
        {days.map(({ date, rows }) => {
          const place = Math.round((Date.parse(date) - first) / DAY_MS) + shift
          const shade = rows === 0 ? 'none' : `shade-${Math.max(1, Math.ceil(Math.sqrt(rows / most) * SHADES))}`
          return (
            <rect key={date} class={shade} x={Math.floor(place / 7) * STEP} y={(place % 7) * STEP} width={SIDE} height={SIDE} rx={2}>
              <title>{say({ en: `${date}: ${number(rows, 0)} rows`, zh: `${date}：${number(rows, 0)} 列` })}</title>
            </rect>
          )
        })}
      </svg>
    </div>
  )
}

/** Maximum number of listed days without rows, per year. */
const MOST_NAMED = 12

function YearTable({ years }: { readonly years: readonly (readonly [string, readonly CoveredDay[]])[] }) {
  const label = say({ en: 'Available days by year, as a table', zh: '各年度收錄日數表' })
  return (
    <Scroll label={label}>
      <table>
        <thead>
          <tr>
            <th>{say({ en: 'Year', zh: '年' })}</th>
            <th class="number">{say({ en: 'Days', zh: '日數' })}</th>
            <th class="number">{say({ en: 'Rows', zh: '列數' })}</th>
            <th>{say({ en: 'Trading days without rows', zh: '無資料的交易日' })}</th>
          </tr>
        </thead>
        <tbody>
          {years.map(([year, days]) => {
            const lacking = days.filter(({ rows }) => rows === 0).map(({ date }) => date)
            const more = lacking.length - MOST_NAMED
            return (
              <tr key={year}>
                <td>{year}</td>
                <td class="number">{number(days.length - lacking.length, 0)}</td>
                <td class="number">
                  {number(
                    days.reduce((sum, { rows }) => sum + rows, 0),
                    0,
                  )}
                </td>
                <td>
                  {lacking.slice(0, MOST_NAMED).join(LANGUAGE === 'zh' ? '、' : ', ')}
                  {more > 0 ? say({ en: ` and ${more} more`, zh: ` 等 ${lacking.length} 日` }) : ''}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </Scroll>
  )
}
