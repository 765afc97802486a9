import type { SchemaColumn } from '../../../clients/typescript/src/index.ts'
import { columnLabel } from '../../parts/column-head.tsx'
import { say } from '../../parts/language.ts'

interface ColumnsProps {
  readonly columns: readonly SchemaColumn[]
  readonly chosen: readonly string[] | null
  readonly onChoose: (chosen: readonly string[] | null) => void
}

export function Columns({ columns, chosen, onChoose }: ColumnsProps) {
  const shown = new Set(chosen ?? columns.map(({ name }) => name))
  const set = (name: string, isShown: boolean) => {
    const names = columns.map(column => column.name).filter(one => (one === name ? isShown : shown.has(one)))
    if (names.length > 0) onChoose(names.length === columns.length ? null : names)
  }
  return (
    <fieldset class="columns">
      <legend class="visually-hidden">{say({ en: 'Columns', zh: '欄位' })}</legend>
      {columns.map(column => (
        <label key={column.name}>
          <input type="checkbox" checked={shown.has(column.name)} onChange={event => set(column.name, event.currentTarget.checked)} />{' '}
          {columnLabel(column)}
        </label>
      ))}
      <button type="button" disabled={chosen === null} onClick={() => onChoose(null)}>
        {say({ en: 'All columns', zh: '全部欄位' })}
      </button>
    </fieldset>
  )
}
