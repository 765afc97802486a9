import { useSignal } from '@preact/signals'
import { elementScroll, observeElementOffset, observeElementRect, type Range, Virtualizer } from '@tanstack/virtual-core'
import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useId, useLayoutEffect, useMemo, useReducer, useRef } from 'preact/hooks'
import { descriptionOf, unitOf } from '../api/catalog.ts'
import type { Cell, Row } from '../api/client.ts'
import { names, useNames } from '../api/names.ts'
import '../style/rows-table.css'
import { columnText, exactText, isRight, isShare, NOTHING, shownText, signOf, widthOf } from './cell.ts'
import { ColumnHead, columnLabel, type Sorted, type TableColumn } from './column-head.tsx'
import { display } from './display.ts'
import { linkTo, number, say } from './language.ts'

export interface Mark {
  readonly kind: 'changed' | 'added' | 'removed'
  readonly words: string
}

export interface RowsTableProps {
  readonly columns: readonly TableColumn[]
  /** Rows by index. Undefined if not loaded. */
  readonly rows: readonly (Row | undefined)[]
  readonly count?: number | undefined
  readonly label: string
  readonly sort?: readonly Sorted[] | undefined
  /**
   * Called when the user presses a column head. Without a handler, heads do not sort.
   *
   * @param more true to add the column to the order
   */
  readonly onSort?: ((column: string, more: boolean) => void) | undefined
  /**
   * Called when the first or last visible index changes, so that the caller can load missing rows.
   */
  readonly onRange?: ((first: number, last: number) => void) | undefined
  /** Row to scroll to, once it is loaded. A new object scrolls again. */
  readonly goTo?: { readonly row: number } | null | undefined
  /** Renders content below a column's name, such as a small histogram. */
  readonly under?: ((column: TableColumn) => ComponentChildren) | undefined
  /** Returns why a value is missing. Null if there is no reason. */
  readonly missing?: ((row: Row, column: string) => string | null) | undefined
  readonly mark?: ((row: Row, column: string) => Mark | null) | undefined
}

/** Height of a row in pixels. `style/rows-table.css` has the same height. */
const ROW_HEIGHT = 32
/** Rows drawn outside of the window. Fewer on the side from which the user scrolls away. */
const [AHEAD, BEHIND] = [8, 2]
const [NARROWEST, WIDEST] = [9, 36]
const TICKER_NAME = 11
/** Number of rows whose texts determine the widths of columns. */
const MEASURED = 100

/**
 * Shows rows as a table. Draws only the visible rows, so that 100,000 rows scroll fast. Arrow keys
 * move between cells.
 */
export function RowsTable({ columns, rows, label, ...props }: RowsTableProps) {
  const count = props.count ?? rows.length
  const [id, scroller, head] = [useId(), useRef<HTMLDivElement>(null), useRef<HTMLTableSectionElement>(null)]
  const position = useSignal<{ readonly row: number; readonly column: number } | null>(null)
  const [, draw] = useReducer<number, void>(drawn => drawn + 1, 0)
  const virtual: Virtualizer<HTMLDivElement, HTMLTableRowElement> = useMemo(
    () =>
      new Virtualizer({
        count,
        getScrollElement: () => scroller.current,
        estimateSize: () => ROW_HEIGHT,
        rangeExtractor: range => drawnRows(range, virtual.scrollDirection),
        scrollToFn: elementScroll,
        observeElementRect,
        observeElementOffset,
      }),
    [],
  )
  virtual.setOptions({ ...virtual.options, count, scrollPaddingEnd: head.current?.offsetHeight ?? 0, onChange: () => draw() })
  useLayoutEffect(() => virtual._didMount(), [])
  useLayoutEffect(() => virtual._willUpdate())
  const items = virtual.getVirtualItems()
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? -1]
  useLayoutEffect(() => {
    if (last >= first) props.onRange?.(first, last)
  }, [first, last, count])
  useVisibleNames(rows, first, last)
  const { goTo } = props
  const isThere = goTo != null && goTo.row < count
  useLayoutEffect(() => {
    if (isThere) virtual.scrollToIndex(goTo.row, { align: 'start' })
  }, [goTo, isThere])
  const loaded = rows.length > 0
  const settings = display.value
  const widths = useMemo(() => columns.map(column => widthIn(column, rows)), [columns, loaded && rows[0], settings])
  const [before, after] = [items[0]?.start ?? 0, virtual.getTotalSize() - (items.at(-1)?.end ?? 0)]

  const go = (row: number, column: number) => {
    const [toRow, toColumn] = [clamp(row, count - 1), clamp(column, columns.length - 1)]
    position.value = { row: toRow, column: toColumn }
    virtual.scrollToIndex(toRow, { align: 'auto' })
    showColumn(scroller.current, toColumn)
  }
  const keys = (event: KeyboardEvent) => {
    if ((event.target as Element).closest('thead')) return
    const { row, column } = position.value ?? { row: first, column: 0 }
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_HEIGHT) - 2)
    const whole = event.ctrlKey || event.metaKey
    if (event.key === 'ArrowDown') go(position.value ? row + 1 : row, column)
    else if (event.key === 'ArrowUp') go(row - 1, column)
    else if (event.key === 'ArrowRight') go(row, column + 1)
    else if (event.key === 'ArrowLeft') go(row, column - 1)
    else if (event.key === 'Enter') head.current?.parentElement?.querySelector<HTMLElement>('td.active a')?.click()
    else if (event.key === 'PageDown') go(row + page, column)
    else if (event.key === 'PageUp') go(row - page, column)
    else if (event.key === 'Home') go(whole ? 0 : row, 0)
    else if (event.key === 'End') go(whole ? count - 1 : row, columns.length - 1)
    else return
    event.preventDefault()
  }
  const press = (event: MouseEvent) => {
    const cell = (event.target as Element).closest('td')
    const row = cell?.closest<HTMLTableRowElement>('tr[data-row]')
    if (cell && row) position.value = { row: Number(row.dataset['row']), column: cell.cellIndex }
  }
  // Sets the class without a render, because scrolling must not draw the whole table again.
  const showEdge = () => {
    const { scrollLeft, clientWidth, scrollWidth, parentElement } = scroller.current!
    parentElement!.classList.toggle('more', scrollLeft + clientWidth < scrollWidth - 1)
  }
  useLayoutEffect(showEdge, [widths])
  useEffect(() => {
    addEventListener('resize', showEdge)
    return () => removeEventListener('resize', showEdge)
  }, [])
  const active = position.value && position.value.row < count ? position.value : null
  const shown = active ? columns[active.column] : undefined
  // Preact does not draw the same object again, so scrolling draws only new rows.
  const heads = useMemo(
    () => (
      <>
        <colgroup>
          {columns.map((column, index) => (
            <col key={column.name} style={{ width: `${widths[index]}ch` }} />
          ))}
        </colgroup>
        <thead ref={head}>
          <tr aria-rowindex={1}>
            {columns.map(column => (
              <ColumnHead key={column.name} column={column} sort={props.sort ?? []} onSort={props.onSort} under={props.under} />
            ))}
          </tr>
        </thead>
      </>
    ),
    [columns, widths, props.sort, props.onSort, props.under, settings],
  )
  const { missing, mark } = props
  const drawn = useMemo(() => new Map<number, Drawn>(), [columns, widths, missing, mark, settings])
  const rowAt = (index: number, active: number): VNode => {
    const [row, cached] = [rows[index], drawn.get(index)]
    if (cached && cached.row === row && cached.active === active) return cached.node
    const node = (
      <TableRow
        key={index}
        id={id}
        index={index}
        columns={columns}
        widths={widths}
        row={row}
        active={active}
        missing={missing}
        mark={mark}
      />
    )
    drawn.set(index, { row, active, node })
    return node
  }
  for (const index of drawn.keys()) if (index < first || index > last) drawn.delete(index)
  return (
    <div class="rows">
      <div class="rows-edge">
        <div class="rows-scroll" ref={scroller} onScroll={showEdge}>
          <table
            // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: arrow keys move in it
            role="grid"
            aria-label={label}
            aria-rowcount={count + 1}
            aria-colcount={columns.length}
            aria-activedescendant={active && active.row >= first && active.row <= last ? `${id}-${active.row}-${active.column}` : undefined}
            tabIndex={0}
            onKeyDown={keys}
            onClick={press}
            style={{ width: `${widths.reduce((sum, width) => sum + width, 0)}ch` }}
          >
            {heads}
            <tbody>
              <Gap height={before} />
              {items.map(({ index }) => rowAt(index, active?.row === index ? active.column : -1))}
              <Gap height={after} />
            </tbody>
          </table>
        </div>
      </div>
      {items.length < count && (
        <p class="on-paper">
          {say({
            en: `Rows ${number(first + 1, 0)} to ${number(last + 1, 0)} of ${number(count, 0)}. Files have all rows.`,
            zh: `第 ${number(first + 1, 0)} 至 ${number(last + 1, 0)} 列，共 ${number(count, 0)} 列；檔案含全部資料列。`,
          })}
        </p>
      )}
      <p class="rows-cell" role="status">
        {active && shown ? (
          <Meaning column={shown} row={rows[active.row]} place={active.row} {...props} />
        ) : (
          <span class="dim">{HINT}</span>
        )}
      </p>
    </div>
  )
}

function drawnRows({ startIndex, endIndex, count }: Range, direction: 'forward' | 'backward' | null): number[] {
  const from = Math.max(0, startIndex - (direction === 'forward' ? BEHIND : AHEAD))
  const to = Math.min(count - 1, endIndex + (direction === 'backward' ? BEHIND : AHEAD))
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}

const SECURITY = /^\d{4,6}[A-Z]?$/

/** True for the code of a security, which links to the security's page. */
const isTicker = (column: string, value: Cell | undefined): value is string =>
  (column === 'ticker' || column === 'symbol') && typeof value === 'string' && SECURITY.test(value)

function Ticker({ ticker, width }: { readonly ticker: string; readonly width: number }) {
  const name = names.value.get(ticker) ?? ''
  return (
    <a href={linkTo(`/company/${ticker}`)} class={fits(`${ticker} ${name}`, width) ? undefined : 'clipped'} tabIndex={-1}>
      {ticker} <span class="name">{name}</span>
    </a>
  )
}

/** Milliseconds without scrolling after which names are requested. */
const PAUSE_MS = 200

/** Requests the names of visible securities when the table stops scrolling. */
function useVisibleNames(rows: readonly (Row | undefined)[], first: number, last: number): void {
  const settled = useSignal<readonly string[]>([])
  useEffect(() => {
    const timer = setTimeout(() => {
      const visible = rows.slice(first, last + 1).flatMap(row => [row?.['ticker'], row?.['symbol']])
      settled.value = visible.filter((value): value is string => isTicker('ticker', value))
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [rows, first, last])
  useNames(settled.value)
}

function Gap({ height }: { readonly height: number }) {
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: it contains nothing focusable
  return height > 0 ? <tr aria-hidden="true" style={{ height: `${height}px` }} /> : null
}

const HINT = say({
  en: 'Choose a cell to see its meaning; arrow keys move between cells.',
  zh: '點選儲存格可查看說明與單位，方向鍵可移動。',
})

interface Drawn {
  readonly row: Row | undefined
  readonly active: number
  readonly node: VNode
}

type Marks = Pick<RowsTableProps, 'missing' | 'mark'>

interface TableRowProps extends Marks {
  readonly id: string
  readonly index: number
  readonly columns: readonly TableColumn[]
  readonly widths: readonly number[]
  readonly row: Row | undefined
  /** Column of the chosen cell. -1 if the chosen cell is in another row. */
  readonly active: number
}

function TableRow({ id, index, columns, widths, row, active, missing, mark }: TableRowProps) {
  return (
    <tr data-row={index} aria-rowindex={index + 2} class={index % 2 === 1 ? 'odd' : undefined}>
      {columns.map((shown, column) => {
        const { name, type } = shown
        const value = row?.[name]
        const isNull = row !== undefined && (value === null || value === undefined)
        const marked = row ? mark?.(row, name) : null
        const why = row && isNull ? missing?.(row, name) : null
        const text = row ? shownText(shown, value) : '…'
        const width = widths[column]!
        return (
          <td
            key={name}
            id={column === active ? `${id}-${index}-${column}` : undefined}
            class={`${isRight(type) ? `number ${signOf(shown, value)}` : ''}${isNull ? ' null' : ''}${marked ? ` ${marked.kind}` : ''}${isTicker(name, value) || fits(text, width) ? '' : ' clipped'}${column === active ? ' active' : ''}`}
            title={why ?? ([exactText(shown, value), marked?.words].filter(Boolean).join('; ') || undefined)}
          >
            {isTicker(name, value) ? <Ticker ticker={value} width={width} /> : text}
          </td>
        )
      })}
    </tr>
  )
}

function Meaning({ column, row, place, missing, mark }: Marks & { column: TableColumn; row: Row | undefined; place: number }) {
  const value = row?.[column.name]
  const text = columnText(column, value)
  const unit = isShare(column) ? null : unitOf(column)
  const noted = [row && text === NOTHING ? (missing?.(row, column.name) ?? NO_VALUE) : null, row ? mark?.(row, column.name)?.words : null]
  return (
    <>
      <b>{columnLabel(column)}</b> <code>{column.name}</code>
      {say({ en: `, row ${place + 1}: `, zh: `，第 ${place + 1} 列：` })}
      <b>{text}</b> {unit !== null && text !== NOTHING ? unit : ''} <span class="dim">{noted.filter(Boolean).join(' ')}</span>{' '}
      <span class="dim">{descriptionOf(column)}</span>
    </>
  )
}

const NO_VALUE = say({ en: 'No value.', zh: '無數值。' })

const clamp = (place: number, most: number): number => Math.max(0, Math.min(place, most))

/** Returns the width of a column in characters, from its head and the first rows. */
function widthIn(column: TableColumn, rows: readonly (Row | undefined)[]): number {
  const texts = rows.slice(0, MEASURED).map(row => widthOf(shownText(column, row?.[column.name])))
  const head = Math.max(widthOf(columnLabel(column)), widthOf(column.name) * 0.85) + 4
  const name = rows.length > 0 && isTicker(column.name, rows[0]?.[column.name]) ? TICKER_NAME : 0
  return Math.min(WIDEST, Math.max(NARROWEST, head, ...texts.map(width => width + 3 + name)))
}

/** Characters whose width is known. Latin letters can be wider than a digit. */
const KNOWN_WIDTH = /^[\d.,:/%+−– \u2e80-\uffff-]*$/
/** Padding of a cell in characters, and a margin for signs that are wider than a digit. */
const SPACE = 3

/** True if the text certainly fits into its column. Drawing a clipped cell takes longer. */
const fits = (text: string, width: number): boolean => KNOWN_WIDTH.test(text) && widthOf(text) + SPACE <= width

function showColumn(scroller: HTMLDivElement | null, column: number): void {
  const cell = scroller?.querySelector<HTMLElement>(`thead th:nth-child(${column + 1})`)
  if (!scroller || !cell) return
  const [left, right] = [cell.offsetLeft, cell.offsetLeft + cell.offsetWidth]
  if (left < scroller.scrollLeft) scroller.scrollLeft = left
  else if (right > scroller.scrollLeft + scroller.clientWidth) scroller.scrollLeft = right - scroller.clientWidth
}
