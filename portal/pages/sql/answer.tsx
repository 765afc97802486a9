import { useMemo } from 'preact/hooks'
import { useTitles } from '../../api/catalog.ts'
import type { SqlRows } from '../../api/sql.ts'
import { csvOf } from '../../parts/csv.ts'
import { SampleBadge, SYNTHETIC } from '../../parts/facts.tsx'
import { credits, number, rowCount, say } from '../../parts/language.ts'
import { RowsTable } from '../../parts/rows-table.tsx'
import { saveAs } from '../../parts/save.ts'
import { firstAxes } from '../explore/axes.ts'
import { ColumnChart } from '../explore/column-chart.tsx'
import type { Axes } from '../explore/question.ts'

interface AnswerProps {
  readonly answer: SqlRows
  readonly axes: Axes | null
  readonly onAxes: (axes: Axes) => void
}

/** Shows the rows as a table and a chart, with a download. */
export function SqlAnswerView({ answer, axes, onAxes }: AnswerProps) {
  const { rows, columns } = answer
  const titleBy = useTitles()
  const shown = useMemo(() => axes ?? firstAxes(columns, !columns.some(({ type }) => type === 'date')), [axes, columns])
  return (
    <>
      <p role="status" class="outcome">
        {outcome(answer)} {answer.warnings.includes(SYNTHETIC) ? <SampleBadge /> : null}
      </p>
      {rows.length > 0 && (
        <p>
          <button
            type="button"
            onClick={() =>
              saveAs(
                'query.csv',
                [
                  csvOf(
                    rows,
                    columns.map(({ name }) => name),
                  ),
                ],
                'text/csv',
              )
            }
          >
            {say({ en: 'Save these rows as CSV', zh: '將以上資料存為 CSV' })}
          </button>
        </p>
      )}
      <RowsTable columns={columns} rows={rows} label={say({ en: 'Rows of the query', zh: '查詢結果' })} />
      {shown && rows.length > 1 && (
        <section>
          <h2>{say({ en: 'Chart', zh: '圖表' })}</h2>
          <ColumnChart columns={columns} rows={rows} axes={shown} onChoose={onAxes} onDrawn={undefined} />
        </section>
      )}
      <details>
        <summary>{say({ en: 'Releases that were read', zh: '讀取的版本' })}</summary>
        <ul>
          {Object.entries(answer.releases).map(([slug, release]) => (
            <li key={slug}>
              {titleBy(slug)} <code>{release}</code>
            </li>
          ))}
        </ul>
      </details>
    </>
  )
}

function outcome({ rows, hasMore, charged, scannedRows, milliseconds }: SqlRows): string {
  const cost = charged === null ? '' : say({ en: `Cost ${credits(charged)}. `, zh: `已扣 ${credits(charged)}。` })
  const more = hasMore
    ? say({ en: 'The query has more rows: raise LIMIT or narrow it. ', zh: '尚有更多資料列，請提高 LIMIT 或縮小範圍。' })
    : ''
  return say({
    en: `${rowCount(rows.length)} from ${number(scannedRows, 0)} scanned rows in ${number(milliseconds, 0)} ms. ${more}${cost}`,
    zh: `掃描 ${number(scannedRows, 0)} 列，回傳 ${number(rows.length, 0)} 列，${number(milliseconds, 0)} 毫秒。${more}${cost}`,
  })
}
