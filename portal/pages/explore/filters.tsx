import { useSignal } from '@preact/signals'
import { useEffect, useId, useRef } from 'preact/hooks'
import type { CatalogDataset, DatasetFilter, SearchResult } from '../../../clients/typescript/src/index.ts'
import { ask } from '../../api/client.ts'
import { columnLabel } from '../../parts/column-head.tsx'
import { LANGUAGE, say } from '../../parts/language.ts'
import { isPhone } from '../../parts/phone.ts'
import { type Described, filtersOf, type Question, withFilter } from './question.ts'
import { Ranges } from './ranges.tsx'

interface FiltersProps {
  readonly described: Described
  readonly question: Question
  /** Returns the values of a column in the loaded rows, as suggestions. */
  readonly seen: (column: string) => readonly string[]
  readonly onChange: (filters: Question['filters']) => void
  readonly onRemoveRange: (column: string) => void
}

export function Filters({ described, question, seen, onChange, onRemoveRange }: FiltersProps) {
  const set = (name: string, value: string) => onChange(withFilter(question.filters, name, value))
  const ranges = (
    <Ranges described={described} value={question.filters['range']} onChange={value => set('range', value)} onRemove={onRemoveRange} />
  )
  return (
    <div class="filters">
      {filtersOf(described, question.isDay).map(filter => (
        <Control
          key={filter.name}
          filter={filter}
          described={described}
          value={question.filters[filter.name] ?? ''}
          values={seen(filter.column)}
          onChange={value => set(filter.name, value)}
        />
      ))}
      {isPhone.value ? (
        <details class="ranges" open={question.filters['range'] !== undefined}>
          <summary>{say({ en: 'Filter by figures', zh: '依數值篩選' })}</summary>
          {ranges}
        </details>
      ) : (
        ranges
      )}
    </div>
  )
}

interface ControlProps {
  readonly filter: DatasetFilter
  readonly described: Described
  readonly value: string
  readonly values: readonly string[]
  readonly onChange: (value: string) => void
}

const FROM = { en: 'from', zh: '起' } as const
const UNTIL = { en: 'until', zh: '迄' } as const

function labelOf({ operator, column, name }: DatasetFilter, { schema }: Described): string {
  const found = schema.columns.find(one => one.name === column)
  const base = found ? columnLabel(found) : name.replaceAll('_', ' ')
  if (name === 'symbol') return say({ en: 'Symbol', zh: '代號' })
  if (operator === 'from') return `${base} ${say(FROM)}`
  if (operator === 'to') return `${base} ${say(UNTIL)}`
  return name === 'latest' ? say({ en: 'latest only', zh: '僅最新一期' }) : base
}

function Control({ filter, described, value, values, onChange }: ControlProps) {
  const id = useId()
  const { name, type, required, operator } = filter
  const choices = choicesOf(filter, described)
  return (
    <p class="filter">
      <label for={id}>
        {labelOf(filter, described)} <code>{name}</code>
        {required ? <span class="dim"> {say({ en: '(required)', zh: '（必填）' })}</span> : null}
      </label>
      {choices ? (
        <select id={id} name={name} value={value} required={required} onChange={event => onChange(event.currentTarget.value)}>
          {required ? null : <option value="">{say({ en: 'any', zh: '不限' })}</option>}
          {choices.map(choice => (
            <option key={choice} value={choice}>
              {type === 'boolean' || operator === 'latest' ? (choice === 'true' ? YES : NO) : choice}
            </option>
          ))}
        </select>
      ) : type === 'date' ? (
        <DayInput id={id} filter={filter} dataset={described.dataset} value={value} onChange={onChange} />
      ) : name === 'symbol' || name === 'index_code' ? (
        <CodeInput id={id} filter={filter} value={value} values={values} onChange={onChange} />
      ) : (
        <>
          <input
            id={id}
            name={name}
            type="text"
            list={`${id}-seen`}
            autocomplete="off"
            required={required}
            value={value}
            placeholder={hintOf(filter, described)}
            onInput={event => onChange(event.currentTarget.value)}
          />
          <datalist id={`${id}-seen`}>
            {values.map(option => (
              <option key={option} value={option} />
            ))}
          </datalist>
        </>
      )}
    </p>
  )
}

const YES = say({ en: 'yes', zh: '是' })
const NO = say({ en: 'no', zh: '否' })

interface DayInputProps {
  readonly id: string
  readonly filter: DatasetFilter
  readonly dataset: CatalogDataset
  readonly value: string
  readonly onChange: (value: string) => void
}

const DayInput = ({ id, filter: { name, required }, dataset, value, onChange }: DayInputProps) => (
  <input
    id={id}
    name={name}
    type="date"
    required={required}
    min={dataset.first_date ?? undefined}
    max={dataset.last_date ?? undefined}
    value={value}
    onInput={event => onChange(event.currentTarget.value)}
  />
)

interface CodeInputProps {
  readonly id: string
  readonly filter: DatasetFilter
  readonly value: string
  readonly values: readonly string[]
  readonly onChange: (value: string) => void
}

const MOST_FOUND = 12

/** Input for codes, with a search by code or name. */
function CodeInput({ id, filter: { name, operator, required }, value, values, onChange }: CodeInputProps) {
  const found = useSignal<SearchResult['data']>([])
  const asking = useRef<AbortController | null>(null)
  useEffect(() => () => asking.current?.abort(), [])
  const search = async (text: string) => {
    asking.current?.abort()
    const q = text.split(',').at(-1)!.trim()
    if (q === '') return
    asking.current = new AbortController()
    const { signal } = asking.current
    const type = name === 'index_code' ? 'index' : 'symbol'
    const request = { path: '/v2/search', query: { q, type, limit: MOST_FOUND } }
    // Newer text aborts this search.
    const answer = await ask<SearchResult>(request, signal).catch(() => null)
    if (answer?.ok) found.value = answer.body.data
  }
  const before = value.includes(',') ? value.slice(0, value.lastIndexOf(',') + 1) : ''
  const suggested = found.value.length > 0 ? found.value : values.map(one => ({ id: one, title: '' }))
  return (
    <>
      <input
        id={id}
        name={name}
        type="text"
        list={`${id}-found`}
        autocomplete="off"
        spellcheck={false}
        required={required}
        value={value}
        placeholder={operator === 'in' ? '2330,2317' : ''}
        onInput={event => {
          onChange(event.currentTarget.value.replaceAll(/\s/g, ''))
          void search(event.currentTarget.value)
        }}
      />
      <datalist id={`${id}-found`}>
        {suggested.map(hit => (
          <option key={hit.id} value={`${before}${hit.id}`} label={hit.title === '' ? undefined : `${hit.id} ${hit.title}`} />
        ))}
      </datalist>
    </>
  )
}

/** Returns the values that the dataset's rules allow. Null if all are allowed. */
function choicesOf({ column, type, operator }: DatasetFilter, { schema }: Described): readonly string[] | null {
  if (type === 'boolean') return ['true', 'false']
  if (operator === 'latest') return ['true']
  if (operator !== 'eq' && operator !== 'first_of') return null
  const prefix = `${column}: one of `
  const rule = schema.rules.find(({ statement, severity }) => severity === 'error' && statement.startsWith(prefix))
  return rule ? rule.statement.slice(prefix.length).split(', ') : null
}

const hintOf = ({ column, operator }: DatasetFilter, { schema }: Described): string => {
  const example = schema.columns.find(one => one.name === column)?.example
  if (example === null || example === undefined || typeof example === 'object') return ''
  return `${LANGUAGE === 'zh' ? '例如 ' : 'e.g. '}${String(example)}${operator === 'in' ? ',…' : ''}`
}
