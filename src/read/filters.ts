import type { Dataset, Filter } from '../../catalog/index.ts'
import { type Fault, isDay } from '../core/index.ts'
import { fault } from './fault.ts'
import { wholly } from './pattern.ts'
import type { BoundFilter } from './plan.ts'

type Single = Readonly<Record<string, string | undefined>>

/** Binds the dataset's own parameters; every mistake is added to `faults`. `sent` holds each parameter as it was understood. */
export function readFilters(dataset: Dataset, single: Single, faults: Fault[]) {
  const filters: BoundFilter[] = []
  const sent: Record<string, string | null> = {}
  for (const [param, filter] of Object.entries(dataset.filters)) {
    const text = single[param]
    sent[param] = null
    if (text === undefined || text === '') {
      if (filter.required) faults.push(fault(param, `${param} is required: ${filter.doc}`, 'missing'))
      else if (text === '') faults.push(fault(param, `${param} is empty; leave it out or give it a value`, 'empty', ''))
      if (filter.op !== 'first_of') continue
    }
    const values = text ? readValues(param, filter, dataset.columns[filter.column]?.type === 'date', text, faults) : (filter.values ?? [])
    if (text) sent[param] = values.join(',')
    const op = filter.op === 'first_of' && text ? 'eq' : filter.op
    if (values[0] === filter.all || (op === 'latest' && text !== 'true')) continue
    const bound = op === 'period' ? periods(values[0]!) : values
    filters.push({ param, column: filter.column, op, values: bound, ...(filter.also ? { also: filter.also } : {}) })
  }
  refuseBackwards(filters, faults)
  return { filters, sent }
}

/** The parameter's values, folded and checked for shape. */
export function readValues(param: string, filter: Filter, isDate: boolean, text: string, faults: Fault[]): readonly string[] {
  const raw = filter.op === 'in' ? [...new Set(text.split(','))] : [text]
  if (raw.length > (filter.max ?? 1)) {
    faults.push(fault(param, `${param} takes at most ${filter.max ?? 1} values, separated by commas`, 'too_many', text))
  }
  const wrong = raw.map(value => mistake(param, filter, isDate, value)).find(Boolean)
  if (wrong) faults.push(wrong)
  return raw.map(value => folded(filter, value))
}

const folded = ({ fold }: Filter, value: string): string =>
  fold === 'upper' ? value.replace(/[a-z]+/g, letters => letters.toUpperCase()) : value

function mistake(param: string, filter: Filter, isDate: boolean, sent: string): Fault | undefined {
  const value = folded(filter, sent)
  if (filter.op === 'latest')
    return ['true', 'false'].includes(value) ? undefined : fault(param, `${param} must be true or false`, 'bool', sent)
  if (isDate && !isDay(value)) return fault(param, `${param} must be a day that exists, written YYYY-MM-DD`, 'date', sent)
  if (filter.values && !filter.values.includes(value))
    return fault(param, `${param} must be one of ${filter.values.join(', ')}`, 'enum', sent)
  if (filter.pattern && !wholly(filter.pattern).test(value)) {
    return fault(param, `${param} must look like ${filter.example ?? filter.pattern}`, 'pattern', sent)
  }
  // No value of ours is longer, and none holds a control character.
  if (value.length > 200 || /\p{Cc}/u.test(value)) return fault(param, `${param} holds characters no value has`, 'characters', sent)
  return undefined
}

/** @example periods('2024Q1') // ['2024-Q1'] · periods('2024') // the year and its quarters */
function periods(text: string): readonly string[] {
  const [year, quarter] = [text.slice(0, 4), text.at(-1)]
  return text.length > 4 ? [`${year}-Q${quarter}`] : [text, ...[1, 2, 3, 4].map(season => `${year}-Q${season}`)]
}

function refuseBackwards(filters: readonly BoundFilter[], faults: Fault[]): void {
  const [from, to] = [filters.find(({ op }) => op === 'from'), filters.find(({ op }) => op === 'to')]
  if (from && to && from.values[0]! > to.values[0]!) {
    faults.push(fault(from.param, `${from.param} must not be after ${to.param}`, 'range', from.values[0]))
  }
}
