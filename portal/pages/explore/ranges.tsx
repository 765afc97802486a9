import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { unitOf } from '../../api/catalog.ts'
import { columnLabel } from '../../parts/column-head.tsx'
import { say } from '../../parts/language.ts'
import { type Range, rangesIn } from '../../parts/range-text.ts'
import type { Described } from './question.ts'
import { NUMBER, rangeColumns, rangeWords, withRange } from './ranges.ts'

interface RangesProps {
  readonly described: Described
  readonly value: string | undefined
  /** Changes the form. The rows are not read yet. */
  readonly onChange: (value: string) => void
  readonly onRemove: (column: string) => void
}

/** Shows the numeric ranges, and a form to add one. */
export function Ranges({ described: { schema }, value, onChange, onRemove }: RangesProps) {
  const [id, chosen] = [useId(), useSignal<string | null>(null)]
  /**
   * Text that the user is typing. It must survive when rows arrive and the form is rendered again.
   */
  const typed = useSignal<{ readonly which: 'from' | 'to'; readonly text: string } | null>(null)
  const columns = rangeColumns(schema.columns)
  const ranges = rangesIn(value)
  const column = chosen.value ?? ranges.at(-1)?.column ?? columns[0]?.name
  if (column === undefined) return null
  const found = columns.find(({ name }) => name === column)
  const range: Range = ranges.find(one => one.column === column) ?? { column, from: '', to: '', below: false }
  const labelOf = (name: string): string => {
    const match = columns.find(other => other.name === name)
    return match ? columnLabel(match) : name
  }
  const set = (which: 'from' | 'to', input: HTMLInputElement) => {
    const text = input.value.replaceAll(/[\s,]/g, '')
    input.value = text
    typed.value = input.validity.valid ? null : { which, text }
    if (!input.validity.valid || text === range[which]) return
    onChange(withRange(value, which === 'from' ? { ...range, from: text } : { ...range, to: text, below: false }))
  }
  const end = (which: 'from' | 'to', words: string) => (
    <span>
      <label for={`${id}-${which}`}>{words}</label>{' '}
      <input
        key={column}
        id={`${id}-${which}`}
        name={`range_${which}`}
        type="text"
        inputmode="decimal"
        autocomplete="off"
        pattern={NUMBER}
        title={say({ en: 'A number, for example 1250.5', zh: '數字，例如 1250.5' })}
        value={typed.value?.which === which ? typed.value.text : range[which]}
        onInput={event => {
          typed.value = { which, text: event.currentTarget.value }
        }}
        onChange={event => set(which, event.currentTarget)}
      />
    </span>
  )
  return (
    <fieldset class="ranges">
      <legend>
        {say({ en: 'Numeric ranges', zh: '數值範圍' })} <code>range</code>
      </legend>
      {ranges.length > 0 && (
        <ul class="chips">
          {ranges.map(item => (
            <li key={item.column}>
              <button type="button" class="chip" onClick={() => onRemove(item.column)}>
                {labelOf(item.column)} {rangeWords(item)} <span aria-hidden="true">✕</span>
                <span class="visually-hidden">{say({ en: ', remove', zh: '，移除' })}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <div class="range">
        <span>
          <label for={`${id}-column`}>{say({ en: 'Column', zh: '欄位' })}</label>{' '}
          <select
            id={`${id}-column`}
            name="range_column"
            value={column}
            onChange={event => {
              chosen.value = event.currentTarget.value
              typed.value = null
            }}
          >
            {found ? null : <option value={column}>{column}</option>}
            {columns.map(option => (
              <option key={option.name} value={option.name}>
                {columnLabel(option)}
                {option.unit === null ? '' : say({ en: ` (${unitOf(option)})`, zh: `（${unitOf(option)}）` })}
              </option>
            ))}
          </select>
        </span>
        {end('from', say({ en: 'from', zh: '自' }))}
        {end('to', range.below ? say({ en: 'to below', zh: '至未滿' }) : say({ en: 'up to', zh: '至' }))}
      </div>
    </fieldset>
  )
}
