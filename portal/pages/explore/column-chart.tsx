import { useMemo } from 'preact/hooks'
import type { Row } from '../../api/client.ts'
import { names, useNames } from '../../api/names.ts'
import { columnText, signOf } from '../../parts/cell.ts'
import { Chart, type ChartProps } from '../../parts/chart.tsx'
import type { ChartSpec, Colour } from '../../parts/chart-series.ts'
import { columnLabel, type TableColumn } from '../../parts/column-head.tsx'
import { display } from '../../parts/display.ts'
import { number, say } from '../../parts/language.ts'
import { measureOf } from '../../parts/units.ts'
import { axesOf } from './axes.ts'
import type { Axes } from './question.ts'

interface ColumnChartProps {
  readonly columns: readonly TableColumn[]
  readonly rows: readonly Row[]
  readonly axes: Axes
  readonly onChoose: (axes: Axes) => void
  readonly onDrawn: ChartProps['onDrawn']
}

/** Draws two columns: lines over dates, points over numbers, bars over texts. */
export function ColumnChart({ columns, rows, axes, onChoose, onDrawn }: ColumnChartProps) {
  const [x, y] = [columns.find(({ name }) => name === axes.x), columns.find(({ name }) => name === axes.y)]
  const { x: across, y: up } = axesOf(columns)
  const choice = (label: string, options: readonly TableColumn[], chosen: string, choose: (name: string) => void) => (
    <label>
      {label}{' '}
      <select value={chosen} onChange={event => choose(event.currentTarget.value)}>
        {options.map(column => (
          <option key={column.name} value={column.name}>
            {columnLabel(column)}
          </option>
        ))}
      </select>
    </label>
  )
  return (
    <>
      <p class="axes">
        {choice(say({ en: 'Vertical', zh: '縱軸' }), up, axes.y, name => onChoose({ ...axes, y: name }))}{' '}
        {choice(say({ en: 'Horizontal', zh: '橫軸' }), across, axes.x, name => onChoose({ ...axes, x: name }))}
      </p>
      {x && y && rows.length > 0 ? (
        x.type === 'date' ? (
          <Lines x={x} y={y} columns={columns} rows={rows} onDrawn={onDrawn} />
        ) : x.type === 'number' || x.type === 'integer' ? (
          <Points x={x} y={y} rows={rows} />
        ) : (
          <Bars x={x} y={y} rows={rows} />
        )
      ) : null}
    </>
  )
}

interface AxesProps {
  readonly x: TableColumn
  readonly y: TableColumn
  readonly rows: readonly Row[]
}

const COLOURS = ['series-1', 'series-2', 'series-3', 'series-4', 'series-5', 'series-6'] as const satisfies readonly Colour[]

/** Draws one line per security, up to the number of colors. */
function Lines({ x, y, columns, rows, onDrawn }: AxesProps & Pick<ColumnChartProps, 'columns' | 'onDrawn'>) {
  const key = columns.find(({ name }) => ['ticker', 'symbol', 'index_code', 'tenor_label'].includes(name))?.name
  const [settings, known] = [display.value, names.value]
  const groups = useMemo(() => [...Map.groupBy(rows, row => (key === undefined ? '' : String(row[key])))], [rows, key])
  const spec = useMemo<ChartSpec>(() => {
    const named = (name: string) => `${name} ${known.get(name) ?? ''}`.trim()
    return {
      kind: 'time',
      series: groups.slice(0, COLOURS.length).map(([name, own], index) => ({
        kind: 'line',
        label: groups.length > 1 ? named(name) : `${named(name)} ${columnLabel(y)}`.trim(),
        colour: COLOURS[index]!,
        measure: measureOf(y),
        points: pointsOf(own, x.name, y.name),
      })),
    }
  }, [groups, x, y, settings, known])
  const days = spec.series.flatMap(({ points }) => points.map(point => String(point.x))).sort()
  const isCut = groups.length > COLOURS.length
  const what = spec.series.length === 1 ? spec.series[0]!.label : columnLabel(y)
  return (
    <Chart
      spec={spec}
      height={340}
      onDrawn={onDrawn}
      summary={say({
        en: `${what}, ${days[0] ?? '–'} to ${days.at(-1) ?? '–'}.${isCut ? ` Only the first ${COLOURS.length} of ${groups.length} lines are drawn.` : ''}`,
        zh: `${what}，${days[0] ?? '–'} 至 ${days.at(-1) ?? '–'}。${isCut ? `共 ${groups.length} 條線，僅畫出前 ${COLOURS.length} 條。` : ''}`,
      })}
    />
  )
}

/** Returns values by day, oldest first. If a day has several rows, the first one counts. */
function pointsOf(rows: readonly Row[], x: string, y: string) {
  const values = new Map(rows.toReversed().flatMap(row => (typeof row[x] === 'string' ? [[row[x], row[y]] as const] : [])))
  return [...values]
    .map(([day, value]) => ({ x: day, value: typeof value === 'number' ? value : null }))
    .sort((a, b) => (a.x < b.x ? -1 : 1))
}

/** Maximum number of bars, and maximum number of points. */
const [MOST_BARS, MOST_POINTS] = [30, 2_000]

function Bars({ x, y, rows }: AxesProps) {
  const valued = rows.flatMap(row => (typeof row[y.name] === 'number' ? [{ row, value: row[y.name] as number }] : []))
  const shown = [...valued].sort((a, b) => Math.abs(b.value) - Math.abs(a.value)).slice(0, MOST_BARS)
  const most = Math.max(...shown.map(({ value }) => Math.abs(value)), Number.EPSILON)
  const isOfSecurities = x.name === 'ticker' || x.name === 'symbol'
  const nameOf = useNames(isOfSecurities ? shown.map(({ row }) => String(row[x.name])) : [])
  const { text, exact } = measureOf(y)
  return (
    <table class="column-bars">
      <caption>
        {columnLabel(y)}
        {valued.length > shown.length &&
          say({
            en: `, largest ${shown.length} of ${number(valued.length, 0)}`,
            zh: `，前 ${shown.length} 名（共 ${number(valued.length, 0)} 列）`,
          })}
      </caption>
      <tbody>
        {shown.map(({ row, value }, index) => (
          <tr key={`${row[x.name]} ${index}`}>
            <th scope="row">
              {String(row[x.name] ?? '–')} {isOfSecurities ? nameOf(String(row[x.name])) : ''}
            </th>
            <td>
              <span class={signOf(y, value) || (value < 0 ? 'negative' : '')} style={{ width: `${(100 * Math.abs(value)) / most}%` }} />
            </td>
            <td class="number" title={exact(value)}>
              {y.decimals === undefined ? text(value) : columnText(y, value)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const [WIDTH, HEIGHT, BOTTOM] = [720, 340, 24]
/** Minimum width of the labels on the left, and width of a digit. */
const [LEAST_LEFT, DIGIT] = [64, 8]

function Points({ x, y, rows }: AxesProps) {
  const valued = rows.flatMap(row =>
    typeof row[x.name] === 'number' && typeof row[y.name] === 'number' ? [{ row, a: row[x.name] as number, b: row[y.name] as number }] : [],
  )
  const points = valued.slice(0, MOST_POINTS)
  const [mx, my] = [measureOf(x), measureOf(y)]
  const range = (values: readonly number[]): readonly [number, number] => [
    values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY),
    values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY),
  ]
  const [[a0, a1], [b0, b1]] = [range(points.map(({ a }) => a)), range(points.map(({ b }) => b))]
  const edge = Math.max(LEAST_LEFT, ...[b0, b1].map(value => my.axis(value).length * DIGIT))
  const left = (a: number) => edge + ((a - a0) / (a1 - a0 || 1)) * (WIDTH - edge - 12)
  const top = (b: number) => 10 + (1 - (b - b0) / (b1 - b0 || 1)) * (HEIGHT - BOTTOM - 20)
  const label = say({
    en: `${columnLabel(y)} by ${columnLabel(x)}, ${points.length} rows`,
    zh: `${columnLabel(y)} 與 ${columnLabel(x)}，${points.length} 列`,
  })
  const svg = (
    <svg class="points" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      {[0, 0.5, 1].map(part => (
        <g key={part}>
          <text x={edge - 6} y={top(b0 + (b1 - b0) * part) + 4} text-anchor="end">
            {points.length > 0 ? my.axis(b0 + (b1 - b0) * part) : ''}
          </text>
          <text x={left(a0 + (a1 - a0) * part)} y={HEIGHT - 6} text-anchor={part === 1 ? 'end' : part === 0 ? 'start' : 'middle'}>
            {points.length > 0 ? mx.axis(a0 + (a1 - a0) * part) : ''}
          </text>
        </g>
      ))}
      {points.map(({ row, a, b }, index) => (
        <circle key={String(index)} cx={left(a)} cy={top(b)} r="3">
          <title>{`${row['ticker'] ?? ''} ${mx.exact(a)}, ${my.exact(b)}`}</title>
        </circle>
      ))}
    </svg>
  )
  return (
    <>
      {svg}
      {valued.length > points.length && (
        <p class="dim">
          {say({
            en: `Only the first ${number(points.length, 0)} of ${number(valued.length, 0)} rows are drawn.`,
            zh: `共 ${number(valued.length, 0)} 列，僅畫出前 ${number(points.length, 0)} 列。`,
          })}
        </p>
      )}
    </>
  )
}
