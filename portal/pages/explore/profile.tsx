import { useId, useRef } from 'preact/hooks'
import type { DatasetFilter, DatasetProfile, ProfiledColumn } from '../../../clients/typescript/src/index.ts'
import type { Request } from '../../api/client.ts'
import { type Loaded, useAnswer } from '../../api/use.ts'
import { shownText } from '../../parts/cell.ts'
import { columnLabel, type TableColumn } from '../../parts/column-head.tsx'
import { number, say, short } from '../../parts/language.ts'
import { daysText } from '../../parts/time.ts'
import { type Described, filtersOf, type Question, queryOf } from './question.ts'
import { endOf, narrowedTo } from './ranges.ts'

type Value = string | number | boolean

/**
 * Requests the value distributions of a query's columns. Costs as much as a read. The service
 * refuses if there are too many rows.
 */
export function useProfile(described: Described | null, question: Question | null): Loaded<DatasetProfile> {
  return useAnswer<DatasetProfile>(described && question ? profileOf(described, question) : null).value
}

function profileOf({ dataset: { slug } }: Described, question: Question): Request {
  const { latest: _, ...filters } = question.filters
  const { sort: _sort, ...query } = queryOf({ ...question, filters })
  return { path: `/v2/datasets/${slug}${question.isDay ? '/cross-section' : ''}/profile`, query }
}

/** Returns the filter parameters for a value or range. Undefined if the column has no filter. */
type Narrow = (from: Value, to: Value | null) => Readonly<Record<string, string>>

function narrowBy(
  filters: readonly DatasetFilter[],
  column: string,
  type: TableColumn['type'],
  ranges: string | undefined,
): Narrow | undefined {
  if (type === 'number' || type === 'integer')
    return (first, last) => {
      const [from, to] = [first, last].map(edge => endOf(Number(edge), type))
      return { range: narrowedTo(ranges, { column, from: from!, to: to!, below: true }) }
    }
  const named = (...operators: readonly string[]) => filters.find(filter => filter.column === column && operators.includes(filter.operator))
  const [equal, from, to] = [named('eq', 'in'), named('from'), named('to')]
  if (from && to)
    return (first, last) => ({ [from.name]: String(first), [to.name]: last === null ? String(first) : dayBefore(String(last)) })
  if (equal && (type === 'text' || type === 'boolean')) return value => ({ [equal.name]: String(value) })
  return undefined
}

const DAY_MS = 86_400_000
const dayBefore = (day: string): string => new Date(Date.parse(day) - DAY_MS).toISOString().slice(0, 10)

interface HeadProfileProps {
  readonly column: TableColumn
  readonly profile: ProfiledColumn
  readonly rows: number
  readonly described: Described
  readonly question: Question
  readonly onNarrow: (filters: Readonly<Record<string, string>>) => void
  /** Sorts by the column and scrolls to the row. Undefined if the order cannot be changed. */
  readonly onGo: ((column: string, row: number) => void) | undefined
}

const [WIDTH, HEIGHT] = [120, 28]

/**
 * Shows a small histogram, or the most common values, in a column head. A click on a bar filters or
 * scrolls. A button opens the same values as a list, for the keyboard.
 */
export function HeadProfile({ column, profile, rows, described, question, onNarrow, onGo }: HeadProfileProps) {
  const [id, box] = [useId(), useRef<HTMLDivElement>(null)]
  const narrow = narrowBy(filtersOf(described, question.isDay), column.name, column.type, question.filters['range'])
  const parts = partsOf(profile, column)
  const most = Math.max(1, ...parts.map(({ count }) => count))
  const place = (event: Pick<ToggleEvent, 'newState'>) => {
    const [from, list] = [box.current?.parentElement?.getBoundingClientRect(), box.current]
    if (event.newState !== 'open' || !from || !list) return
    list.style.left = `${Math.max(4, Math.min(from.left, document.documentElement.clientWidth - list.offsetWidth - 4))}px`
    list.style.top = `${Math.max(4, Math.min(from.bottom, window.innerHeight - list.offsetHeight - 4))}px`
  }
  const go = profile.histogram === null ? undefined : onGo
  const acts = narrow !== undefined || go !== undefined
  const choose = (index: number) => {
    box.current?.hidePopover()
    const { from, to } = parts[index]!
    if (narrow) onNarrow(narrow(from, to))
    // In every order, rows without a value come last.
    else
      go?.(
        column.name,
        parts.slice(0, index).reduce((sum, { count }) => sum + count, 0),
      )
  }
  /** A click on a bar filters or scrolls. Any other click opens the list. */
  const press = (event: MouseEvent) => {
    const bar = (event.target as Element).closest<SVGElement>('[data-bar]')?.dataset['bar']
    if (bar === undefined || !acts) return
    event.preventDefault()
    choose(Number(bar))
  }
  const nulls = profile.nulls > 0 ? say({ en: `${share(profile.nulls, rows)} empty`, zh: `${share(profile.nulls, rows)} 無值` }) : ''
  return (
    <div class="head-profile">
      <button type="button" class="bars" popovertarget={id} onClick={press}>
        {parts.length > 0 && (
          <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
            {parts.map((part, index) => {
              const [step, height] = [WIDTH / parts.length, Math.max(part.count > 0 ? 1.5 : 0, (part.count / most) * HEIGHT)]
              return (
                <g key={index} data-bar={acts && part.count > 0 ? index : undefined}>
                  <title>{`${part.words}: ${number(part.count, 0)}`}</title>
                  <rect class="room" x={index * step} y={0} width={step} height={HEIGHT} />
                  <rect x={index * step + 0.5} y={HEIGHT - height} width={Math.max(1, step - 1)} height={height} />
                </g>
              )
            })}
          </svg>
        )}
        <span class="visually-hidden">{columnLabel(column)}: </span>
        <small>
          {say({ en: `${short(profile.distinct)} distinct`, zh: `${short(profile.distinct)} 種` })}
          {nulls === '' ? '' : ` · ${nulls}`}
        </small>
      </button>
      <div ref={box} id={id} popover="auto" class="tip values" onToggle={place}>
        <b>{columnLabel(column)}</b>
        <p class="dim">
          {number(profile.count, 0)} {say({ en: 'values', zh: '個值' })}, {number(profile.distinct, 0)} {say({ en: 'distinct', zh: '種' })},{' '}
          {number(profile.nulls, 0)} {say({ en: 'empty', zh: '無值' })}
          <br />
          {profile.min === null ? '' : daysText(shownText(column, profile.min), shownText(column, profile.max ?? profile.min))}
        </p>
        <ul>
          {parts.map((part, index) => (
            <li key={String(part.from)}>
              {acts ? (
                <button type="button" onClick={() => choose(index)}>
                  {part.words}
                </button>
              ) : (
                <span>{part.words}</span>
              )}
              <meter min={0} max={most} value={part.count} aria-label={part.words} /> {number(part.count, 0)}
            </li>
          ))}
        </ul>
        {profile.others && profile.others.values > 0 ? (
          <p class="dim">
            {say({
              en: `and ${number(profile.others.values, 0)} other values in ${number(profile.others.count, 0)} rows`,
              zh: `另有 ${number(profile.others.values, 0)} 種，共 ${number(profile.others.count, 0)} 列`,
            })}
          </p>
        ) : null}
        {narrow ? null : (
          <p class="dim">
            {say({ en: 'This column has no filter.', zh: '此欄位無法篩選。' })}{' '}
            {go
              ? say({
                  en: 'Choose a range to sort by this column and go to its rows.',
                  zh: '點選區間即依此欄位排序，並移至該區間的資料列。',
                })
              : ''}
          </p>
        )}
      </div>
    </div>
  )
}

interface Part {
  readonly from: Value
  readonly to: Value | null
  readonly count: number
  readonly words: string
}

function partsOf({ histogram, top }: ProfiledColumn, column: TableColumn): readonly Part[] {
  if (histogram)
    return histogram.map(bin => ({
      ...bin,
      words: say({
        en: `${shownText(column, bin.from)} to below ${shownText(column, bin.to)}`,
        zh: `${shownText(column, bin.from)} 至未滿 ${shownText(column, bin.to)}`,
      }),
    }))
  return (top ?? []).map(({ value, count }) => ({ from: value, to: null, count, words: shownText(column, value) }))
}

const share = (part: number, whole: number): string => `${whole === 0 ? 0 : Math.max(1, Math.round((part / whole) * 100))}%`
