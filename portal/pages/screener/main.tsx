import '../../frame/main.tsx'
import '../../style/companies.css'
import '../../style/explore.css'
import '../../style/sql.css'
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { titleOf, unitOf, useCatalog } from '../../api/catalog.ts'
import type { Refused } from '../../api/client.ts'
import { useNames } from '../../api/names.ts'
import { runSql, type SqlRows } from '../../api/sql.ts'
import { decimalsOf, isShare, signOf } from '../../parts/cell.ts'
import { columnLabel, type Sorted, type TableColumn } from '../../parts/column-head.tsx'
import { csvOf } from '../../parts/csv.ts'
import { Dated } from '../../parts/dated.tsx'
import { SampleBadge, SYNTHETIC } from '../../parts/facts.tsx'
import { credits, fixed, linkTo, number, say } from '../../parts/language.ts'
import { industryWords } from '../../parts/market-words.ts'
import { mount } from '../../parts/mount.tsx'
import { RefusedRead } from '../../parts/refused-read.tsx'
import { saveAs } from '../../parts/save.ts'
import { Skeleton } from '../../parts/skeleton.tsx'
import { daysText } from '../../parts/time.ts'
import { shareUnitOf } from '../../parts/units.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { Conditions } from './conditions.tsx'
import { columnOf, conditionsIn, dayColumnOf, screenSql } from './screen.ts'
import { type ScreenedDataset, useScreened } from './use-screened.ts'

const MOST = 500
const FIRST = 'valuation.pe_ratio:0..20,monthly-revenue.yoy_pct:5..'

function Screener() {
  const [where, chosenDay, order] = [useUrlState('where', FIRST), useUrlState('day', ''), useUrlState('sort', '')]
  const catalog = useCatalog().value
  const isChoosing = useSignal(false)
  const conditions = useMemo(() => conditionsIn(where.value), [where.value])
  const { datasets, ...schemas } = useScreened(
    catalog.value ?? [],
    conditions.map(({ slug }) => slug),
  )
  const { datasets: offered } = useScreened(catalog.value ?? [], isChoosing.value ? null : conditions.map(({ slug }) => slug))
  const last = catalog.value?.find(({ slug }) => slug === (conditions[0]?.slug ?? 'daily-prices'))?.last_date ?? ''
  const day = chosenDay.value || last
  const sql = datasets === null || schemas.refused !== null ? null : screenSql(day, conditions, datasets, order.value, MOST)
  const { state, again } = useScreen(sql)
  const sort = sortOf(order.value, state.kind === 'done' ? state.answer : null)
  return (
    <>
      <h1>{say({ en: 'Screener', zh: '選股' })}</h1>
      <p>
        {say({
          en: 'Securities whose newest figures on a day meet all conditions. Figures announced after that day do not count.',
          zh: '以指定日期當日已公布的最新數值，列出符合所有條件的證券；之後才公布的數值不計。',
        })}
      </p>
      <Conditions
        datasets={offered ?? datasets ?? []}
        catalog={catalog.value ?? []}
        conditions={conditions}
        onChoosing={() => (isChoosing.value = true)}
        onChange={next => (where.value = next)}
      />
      <p class="run">
        <label>
          {say({ en: 'Day', zh: '日期' })}{' '}
          <input type="date" value={day} max={last} onChange={event => (chosenDay.value = event.currentTarget.value)} />
        </label>
      </p>
      {catalog.refused && <RefusedRead refused={catalog.refused} onRetry={catalog.again} />}
      {schemas.refused && <RefusedRead refused={schemas.refused} onRetry={schemas.again} />}
      {state.kind === 'running' && <Skeleton />}
      {state.kind === 'refused' && <RefusedRead refused={state.refused} onRetry={again} />}
      {state.kind === 'done' && (
        <Found
          answer={state.answer}
          figures={figuresOf(datasets ?? [], slug => titleOf(catalog.value!.find(one => one.slug === slug)!))}
          sort={sort}
          onSort={column => {
            order.value = sort[0]?.column === column && sort[0].direction === 'desc' ? column : `-${column}`
          }}
        />
      )}
      {conditions.length > 0 && day !== '' && datasets !== null && schemas.refused === null && sql === null && (
        <p class="notice warn">
          {say({
            en: 'These conditions cannot be used. Change them, or reload the page.',
            zh: '這些條件無法使用，請修改條件或重新載入頁面。',
          })}
        </p>
      )}
      {conditions.length === 0 && <p class="notice">{say({ en: 'Add a condition.', zh: '請加入條件。' })}</p>}
      {sql !== null && (
        <details>
          <summary>{say({ en: 'The query as SQL', zh: '以 SQL 表示' })}</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
          <pre tabIndex={0}>{sql}</pre>
          <p>
            <a href={linkTo(`/sql?q=${encodeURIComponent(sql)}`)}>{say({ en: 'Open in the SQL editor', zh: '在 SQL 編輯器開啟' })}</a>
          </p>
        </details>
      )}
    </>
  )
}

type State =
  | { readonly kind: 'idle' | 'running' }
  | { readonly kind: 'done'; readonly answer: SqlRows }
  | { readonly kind: 'refused'; readonly refused: Refused }

/**
 * Milliseconds to wait after a change, because each run costs credits. Avoids runs for unfinished
 * input.
 */
const RUN_AFTER_MS = 500

/** Runs the query when it changes. Stops the previous query if it is still running. */
function useScreen(sql: string | null) {
  const [state, turn] = [useSignal<State>({ kind: 'idle' }), useSignal(0)]
  useEffect(() => {
    if (sql === null) return
    const stop = new AbortController()
    const wait = setTimeout(async () => {
      state.value = { kind: 'running' }
      const answer = await runSql({ q: sql }, stop.signal).catch(() => null)
      if (answer === null || stop.signal.aborted) return
      state.value = answer.ok ? { kind: 'done', answer: answer.body } : { kind: 'refused', refused: answer.refused }
    }, RUN_AFTER_MS)
    return () => {
      clearTimeout(wait)
      stop.abort()
    }
  }, [sql, turn.value])
  return { state: state.value, again: () => (turn.value += 1) }
}

function sortOf(order: string, answer: SqlRows | null): readonly Sorted[] {
  const column = order.replace(/^-/, '') || (answer?.columns[3]?.name ?? '')
  return column === '' ? [] : [{ column, direction: order.startsWith('-') ? 'desc' : 'asc' }]
}

/** A column of the result: its description, and the dataset that it comes from. */
interface Figure {
  readonly column: TableColumn
  readonly slug: string
  readonly title: string
}

/** Returns the figures by their name in the result. */
const figuresOf = (datasets: readonly ScreenedDataset[], titleBy: (slug: string) => string): ReadonlyMap<string, Figure> =>
  new Map(
    datasets.flatMap(({ slug, columns }) =>
      columns.map(column => [columnOf({ slug, column: column.name }), { column, slug, title: titleBy(slug) }]),
    ),
  )

const MOST_DECIMALS = 4

/** Returns a format with the same decimals for all rows. Values have the unit of the conditions. */
function formatOf(column: TableColumn, values: readonly unknown[]): (value: unknown) => string {
  const [size, isPercent] = [shareUnitOf(column)?.size ?? 1, column.unit === 'percent']
  const digits = isPercent
    ? 2
    : decimalsOf(
        values.map(value => (typeof value === 'number' ? value / size : null)),
        MOST_DECIMALS,
      )
  return value => (typeof value === 'number' ? `${fixed(value / size, digits)}${isPercent ? '%' : ''}` : '–')
}

interface FoundProps {
  readonly answer: SqlRows
  readonly figures: ReadonlyMap<string, Figure>
  readonly sort: readonly Sorted[]
  readonly onSort: (column: string) => void
}

function Found({ answer, figures, sort, onSort }: FoundProps) {
  const { rows, columns, charged, warnings, hasMore, milliseconds } = answer
  const shown = columns.flatMap(({ name }) => {
    const figure = figures.get(name)
    if (!figure) return []
    const days = rows
      .flatMap(row => row[dayColumnOf(figure.slug)] ?? [])
      .map(String)
      .sort()
    const text = formatOf(
      figure.column,
      rows.map(row => row[name]),
    )
    return [{ ...figure, name, text, days: daysText(days[0] ?? null, days.at(-1) ?? null) }]
  })
  const nameOf = useNames(
    rows.map(({ ticker }) => String(ticker)),
    { areInRows: true },
  )
  return (
    <>
      <p role="status" class="outcome">
        {say({
          en: `${number(rows.length, 0)} ${rows.length === 1 ? 'security' : 'securities'} in ${number(milliseconds, 0)} ms. `,
          zh: `${number(rows.length, 0)} 檔，${number(milliseconds, 0)} 毫秒。`,
        })}
        {hasMore ? say({ en: `Only the first ${MOST} are shown. `, zh: `僅顯示前 ${MOST} 檔。` }) : ''}
        {charged === null ? '' : say({ en: `Cost ${credits(charged)}.`, zh: `已扣 ${credits(charged)}。` })}{' '}
        {warnings.includes(SYNTHETIC) ? <SampleBadge /> : null}{' '}
        {rows.length > 0 && (
          <button type="button" onClick={() => saveAs('screen.csv', [csvOf(rows)], 'text/csv')}>
            CSV
          </button>
        )}
      </p>
      <div class="scroll">
        <table class="listing">
          <thead>
            <tr>
              <th scope="col">{say({ en: 'Security', zh: '證券' })}</th>
              {shown.map(({ name, column, title, days }) => {
                // Multiples such as P/E need no unit, and percentages have a sign in each cell.
                const unit =
                  column.unit === 'percent' || (column.unit === 'ratio' && !isShare(column))
                    ? null
                    : (shareUnitOf(column)?.unit ?? unitOf(column))
                const direction = sort.find(({ column }) => column === name)?.direction
                return (
                  <th key={name} scope="col" class="number" aria-sort={direction && (direction === 'asc' ? 'ascending' : 'descending')}>
                    <button type="button" class="sort" onClick={() => onSort(name)}>
                      {columnLabel(column)}
                      {unit === null ? '' : say({ en: `, ${unit}`, zh: `（${unit}）` })}{' '}
                      <span>{direction === undefined ? '↕' : direction === 'asc' ? '▲' : '▼'}</span>
                    </button>
                    <small>
                      {title}{' '}
                      <span>
                        <Dated text={days} />
                      </span>
                    </small>
                  </th>
                )
              })}
              <th scope="col">{say({ en: 'Industry', zh: '產業' })}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(row => (
              <tr key={String(row['ticker'])}>
                <th scope="row">
                  <a href={linkTo(`/company/${encodeURIComponent(String(row['ticker']))}`)}>
                    {String(row['ticker'])} {nameOf(String(row['ticker']), row['name'])}
                  </a>
                </th>
                {shown.map(({ name, column, text }) => (
                  <td key={name} class={`number ${signOf(column, row[name])}`}>
                    {text(row[name])}
                  </td>
                ))}
                <td>{say(industryWords(String(row['industry'] ?? '–')))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

mount(Screener)
