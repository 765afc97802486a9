import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import type { SchemaColumn } from '../../clients/typescript/src/index.ts'
import { descriptionOf, unitOf } from '../api/catalog.ts'
import { type CellColumn, isRight, isShare } from './cell.ts'
import { LANGUAGE, say } from './language.ts'
import { amountMeasureOf } from './units.ts'

export interface TableColumn extends CellColumn, Pick<SchemaColumn, 'label_zh' | 'description' | 'description_zh'> {}

export interface Sorted {
  readonly column: string
  readonly direction: 'asc' | 'desc'
}

export const columnLabel = ({ name, label_zh }: Pick<TableColumn, 'name' | 'label_zh'>): string =>
  LANGUAGE === 'zh' ? label_zh : englishLabel(name)

/** Words that are spelled differently in labels than in column names. */
const SPELLED: Readonly<Record<string, string>> = {
  eps: 'EPS',
  id: 'ID',
  inst: 'institutional',
  isin: 'ISIN',
  ma: 'MA',
  macd: 'MACD',
  mom: 'MoM',
  pb: 'P/B',
  pct: '%',
  pe: 'P/E',
  rsi: 'RSI',
  yoy: 'YoY',
}

/** Returns an English label, for example `Held %` for `held_pct`. */
function englishLabel(name: string): string {
  const text = name
    .split('_')
    .map(word => SPELLED[word] ?? word)
    .join(' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

interface ColumnHeadProps {
  readonly column: TableColumn
  readonly sort: readonly Sorted[]
  readonly onSort: ((column: string, more: boolean) => void) | undefined
  readonly under: ((column: TableColumn) => ComponentChildren) | undefined
}

const ARIA_SORT = { asc: 'ascending', desc: 'descending' } as const
const ARROW = { asc: '▲', desc: '▼' } as const

export function ColumnHead({ column, sort, onSort, under }: ColumnHeadProps) {
  const place = sort.findIndex(sorted => sorted.column === column.name)
  const direction = sort[place]?.direction
  const unit = isShare(column) ? '%' : (amountMeasureOf(column)?.unit ?? unitOf(column))
  const name = (
    <>
      <span class="label">{columnLabel(column)}</span>
      <small>
        {LANGUAGE === 'zh' && columnLabel(column) !== column.name ? <code>{column.name}</code> : null} {unit}
      </small>
    </>
  )
  return (
    <th
      scope="col"
      class={isRight(column.type) ? 'number' : undefined}
      aria-sort={direction ? (place === 0 ? ARIA_SORT[direction] : 'other') : undefined}
    >
      <Explained words={<Explanation column={column} sortable={onSort !== undefined} />}>
        {describedBy => (
          <button
            type="button"
            class="head"
            aria-describedby={describedBy}
            onClick={event => (onSort ? onSort(column.name, event.shiftKey) : undefined)}
          >
            <span class="title">{name}</span>
            <span aria-hidden="true" class="arrow">
              {direction ? `${ARROW[direction]}${sort.length > 1 ? place + 1 : ''}` : onSort ? '↕' : 'ⓘ'}
            </span>
          </button>
        )}
      </Explained>
      {under?.(column)}
    </th>
  )
}

function Explanation({ column, sortable }: { readonly column: TableColumn; readonly sortable: boolean }) {
  const unit = unitOf(column)
  const shown = amountMeasureOf(column)?.unit ?? unit
  return (
    <>
      <b>{column.name}</b> <span lang="zh-Hant">{column.label_zh}</span>
      <br />
      <span>{descriptionOf(column)}</span>
      <br />
      <span class="dim">
        {unit === null
          ? ''
          : `${say(shown === unit ? { en: 'Unit', zh: '單位' } : { en: 'Unit in the API and files', zh: 'API 與檔案的單位' })}: ${unit}. `}
        {sortable
          ? say({ en: 'Press to sort; with Shift, add to the current order.', zh: '點選以排序；按住 Shift 可加入目前的排序。' })
          : ''}
      </span>
    </>
  )
}

interface ExplainedProps {
  readonly words: ComponentChildren
  readonly children: (describedBy: string) => ComponentChildren
}

/** Minimum distance in pixels between a tooltip and the edge of the window. */
const EDGE = 4

/** Shows a tooltip while the pointer or the focus is on the children. Escape hides the tooltip. */
export function Explained({ words, children }: ExplainedProps) {
  const [id, place, tip] = [useId(), useRef<HTMLSpanElement>(null), useRef<HTMLSpanElement>(null)]
  const listening = useRef<AbortController | null>(null)
  const isShown = () => tip.current?.matches(':popover-open') === true
  const put = () => {
    const [from, box] = [place.current?.getBoundingClientRect(), tip.current]
    if (!from || !box) return
    const most = document.documentElement.clientWidth - box.offsetWidth - EDGE
    box.style.left = `${Math.max(EDGE, Math.min(from.left, most))}px`
    const fits = from.bottom + box.offsetHeight <= window.innerHeight
    box.style.top = `${fits ? from.bottom : Math.max(EDGE, from.top - box.offsetHeight)}px`
  }
  const show = () => {
    if (isShown()) return
    tip.current?.showPopover()
    put()
    listening.current = new AbortController()
    const { signal } = listening.current
    document.addEventListener('keydown', event => event.key === 'Escape' && hide(), { signal })
    document.addEventListener('scroll', put, { capture: true, passive: true, signal })
  }
  const hide = () => {
    if (isShown()) tip.current?.hidePopover()
    listening.current?.abort()
  }
  useEffect(() => hide, [])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only shows a tooltip; the button inside acts
    <span ref={place} class="explained" onMouseEnter={show} onMouseLeave={hide} onFocusIn={show} onFocusOut={hide}>
      {children(id)}
      <span ref={tip} id={id} role="tooltip" class="tip" popover="manual">
        {words}
      </span>
    </span>
  )
}
