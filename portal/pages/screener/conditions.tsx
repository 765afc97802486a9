import type { CatalogDataset } from '../../../clients/typescript/src/index.ts'
import { titleOf, unitOf } from '../../api/catalog.ts'
import { isShare } from '../../parts/cell.ts'
import { columnLabel, type TableColumn } from '../../parts/column-head.tsx'
import { say } from '../../parts/language.ts'
import { type Range, rangesText } from '../../parts/range-text.ts'
import { shareUnitOf } from '../../parts/units.ts'
import type { Condition } from './screen.ts'
import type { ScreenedDataset } from './use-screened.ts'

interface ConditionsProps {
  readonly datasets: readonly ScreenedDataset[]
  readonly catalog: readonly CatalogDataset[]
  readonly conditions: readonly Condition[]
  readonly onChoosing: () => void
  readonly onChange: (text: string) => void
}

const text = (conditions: readonly Condition[]): string =>
  rangesText(conditions.map(({ slug, column, ...range }): Range => ({ ...range, column: `${slug}.${column}` })))

export function Conditions({ datasets, catalog, conditions, onChoosing, onChange }: ConditionsProps) {
  const set = (index: number, next: Partial<Condition> | null) =>
    onChange(text(conditions.flatMap((condition, at) => (at !== index ? [condition] : next === null ? [] : [{ ...condition, ...next }]))))
  return (
    <ul class="conditions" onFocusIn={onChoosing} onPointerDown={onChoosing}>
      {conditions.map((condition, index) => {
        const column = datasets.find(({ slug }) => slug === condition.slug)?.columns.find(({ name }) => name === condition.column)
        const size = (column && shareUnitOf(column)?.size) ?? 1
        return (
          <li key={`${condition.slug}.${condition.column} ${index}`}>
            <ColumnChoice
              datasets={datasets}
              catalog={catalog}
              chosen={`${condition.slug}.${condition.column}`}
              onChoose={(slug, column) => set(index, { slug, column })}
            />
            <End label={say({ en: 'from', zh: '下限' })} value={condition.from} size={size} onChange={from => set(index, { from })} />
            <End label={say({ en: 'to', zh: '上限' })} value={condition.to} size={size} onChange={to => set(index, { to })} />
            <UnitOf column={column} />
            <button type="button" aria-label={say({ en: 'Remove the condition', zh: '移除條件' })} onClick={() => set(index, null)}>
              ×
            </button>
          </li>
        )
      })}
      <li>
        <ColumnChoice
          datasets={datasets}
          catalog={catalog}
          chosen=""
          onChoose={(slug, column) => onChange(text([...conditions, { slug, column, from: '0', to: '', below: false }]))}
        />
      </li>
    </ul>
  )
}

interface ColumnChoiceProps {
  readonly datasets: readonly ScreenedDataset[]
  readonly catalog: readonly CatalogDataset[]
  readonly chosen: string
  readonly onChoose: (slug: string, column: string) => void
}

function ColumnChoice({ datasets, catalog, chosen, onChoose }: ColumnChoiceProps) {
  return (
    <select
      value={chosen}
      aria-label={say({ en: 'Column of the condition', zh: '條件欄位' })}
      onChange={event => {
        const [slug, column] = event.currentTarget.value.split('.')
        if (slug && column) onChoose(slug, column)
      }}
    >
      {chosen === '' && <option value="">{say({ en: 'Add a condition …', zh: '加入條件…' })}</option>}
      {datasets.map(({ slug, columns }) => {
        const title = titleOf(catalog.find(dataset => dataset.slug === slug) ?? { title: slug, title_zh: slug })
        return (
          <optgroup key={slug} label={title}>
            {columns.map(column => {
              const value = `${slug}.${column.name}`
              // A closed list does not show the group, and several datasets have a column "YoY %".
              return (
                <option key={value} value={value}>
                  {value === chosen
                    ? say({ en: `${title}: ${columnLabel(column)}`, zh: `${title}：${columnLabel(column)}` })
                    : columnLabel(column)}
                </option>
              )
            })}
          </optgroup>
        )
      })}
    </select>
  )
}

const UnitOf = ({ column }: { readonly column: TableColumn | undefined }) => {
  // Not the word “percent”, which would wrap the button after it on a phone.
  const sign = column?.unit === 'percent' ? '%' : null
  const unit = sign ?? (column && (shareUnitOf(column)?.unit ?? (column.unit !== 'ratio' || isShare(column) ? unitOf(column) : null)))
  return unit ? <small class="dim">{unit}</small> : null
}

interface EndProps {
  readonly label: string
  /** In the unit of the API. */
  readonly value: string
  /** Size of the displayed unit, in the unit of the API. */
  readonly size: number
  readonly onChange: (value: string) => void
}

const End = ({ label, value, size, onChange }: EndProps) => (
  <label>
    {label}{' '}
    <input type="number" step="any" value={times(value, 1 / size)} onChange={event => onChange(times(event.currentTarget.value, size))} />
  </label>
)

/** Significant digits that hide the rounding errors of a multiplication. */
const DIGITS = 15

/** Multiplies a number in a text. Other texts remain unchanged. */
const times = (text: string, factor: number): string => {
  const product = Number(text) * factor
  return factor === 1 || text.trim() === '' || !Number.isFinite(product) ? text : String(Number(product.toPrecision(DIGITS)))
}
