import type { Dataset, Filter, Operator } from '../../catalog/index.ts'
import { A_DAY, clipped, type Fault, type FaultType, flagOf, isDay, type Words } from '../core/index.ts'

/** What an end of a range does: `below` leaves out the end itself, the others do not. */
export const RANGE_OPERATORS = ['at_least', 'at_most', 'below'] as const
export type RangeOperator = (typeof RANGE_OPERATORS)[number]

/** True of an end of a range, which compares numbers. */
export const isRange = ({ op }: BoundFilter): boolean => RANGE_OPERATORS.some(one => one === op)

/** A parameter as it filters the rows; `range` does once for each end. `values` has one entry, except for `in` and `period`. */
export interface BoundFilter {
  readonly param: string
  readonly column: string
  readonly also?: string
  readonly op: Operator | RangeOperator
  readonly values: readonly string[]
}

/** Characters of the longest value: no stored one is longer, and none holds a control character. */
export const LONGEST_VALUE = 200

/** Parameters by name, each sent at most once. */
export type SingleValues = Readonly<Record<string, string | undefined>>

/** Describes a mistake in a query parameter. The input is repeated up to 100 characters. */
export const fault = (name: string, words: Words, type: FaultType, input?: string): Fault => ({
  loc: ['query', name],
  words,
  type,
  ...(input === undefined ? {} : { input: clip(input) }),
})

/** Cuts text to 100 characters and an ellipsis. */
export const clip = (text: string): string => clipped(text, 100)

/** Compiled once each: the catalog has a few dozen patterns, and every read uses one. */
const compiled = new Map<string, RegExp>()

/** A catalog pattern as a regular expression that must match the whole text. */
export function fullMatch(pattern: string): RegExp {
  const known = compiled.get(pattern) ?? new RegExp(`^(?:${pattern})$`)
  compiled.set(pattern, known)
  return known
}

/**
 * Binds the dataset's own parameters and adds every mistake to `faults`; one that `faults` names already is not called missing, too. `sent`
 * holds each parameter in canonical form, null where not sent.
 */
export function readFilters(dataset: Dataset, single: SingleValues, faults: Fault[]) {
  const filters: BoundFilter[] = []
  const sent: Record<string, string | null> = {}
  const refused = new Set(faults.map(({ loc }) => loc[1]))
  for (const [param, filter] of Object.entries(dataset.filters)) {
    const text = single[param]
    sent[param] = null
    if (text === undefined || text === '') {
      if (filter.required && !refused.has(param)) faults.push(fault(param, missing(param, filter), 'missing'))
      else if (text === '') faults.push(fault(param, empty(param), 'empty', ''))
      if (filter.op !== 'first_of') continue
    }
    const isDate = dataset.columns[filter.column]?.type === 'date'
    const values = text ? readValues(param, filter, isDate, text, faults) : (filter.values ?? []).filter(value => value !== filter.all)
    if (text) sent[param] = values.join(',')
    const op = filter.op === 'first_of' && text ? 'eq' : filter.op
    if (values[0] === filter.all || (op === 'latest' && values[0] !== 'true')) continue
    const bound = op === 'period' ? periods(values[0]!) : values
    filters.push({ param, column: filter.column, op, values: bound, ...(filter.also ? { also: filter.also } : {}) })
  }
  refuseBackwards(filters, faults)
  return { filters, sent }
}

const missing = (param: string, { doc, example }: Filter): Words => ({
  en: `${param} is required: ${doc}`,
  zh: `缺少必要的參數 ${param}${example === undefined ? '' : `，例如 ${param}=${example}`}`,
})
const empty = (param: string): Words => ({
  en: `${param} is empty; leave it out or give it a value`,
  zh: `${param} 沒有值；請省略或填入值`,
})
/** A parameter that was sent more than once. @param way how several values are sent; null where only one is taken */
export const repeated = (name: string, way: Words | null): Words => ({
  en: `${name} was sent more than once; send it once${way ? `, ${way.en}` : ''}`,
  zh: `${name} 重複傳送；請只傳送一次${way ? `，${way.zh}` : ''}`,
})
export const WITH_COMMAS: Words = { en: 'with commas between its values', zh: '多個值以逗號分隔' }

/** A value that is none of the words taken. */
export const oneOf = (name: string, words: readonly string[]): Words => {
  if (words.length === 1) return { en: `${name} must be ${words[0]}`, zh: `${name} 必須是 ${words[0]}` }
  return { en: `${name} must be one of ${words.join(', ')}`, zh: `${name} 必須是下列其中之一：${words.join('、')}` }
}

/** The mistake of a value that is neither true nor false. */
export const neitherTrueNorFalse = (param: string, sent: string): Fault =>
  fault(param, { en: `${param} must be true or false`, zh: `${param} 必須是 true 或 false` }, 'bool', sent)

/** Splits, folds and checks the values of one parameter; mistakes are added to `faults`. */
export function readValues(param: string, filter: Filter, isDate: boolean, text: string, faults: Fault[]): readonly string[] {
  const raw = filter.op === 'in' ? [...new Set(text.split(','))] : [text]
  if (raw.length > (filter.max ?? 1)) {
    const words = {
      en: `${param} takes at most ${filter.max ?? 1} values, separated by commas`,
      zh: `${param} 最多可有 ${filter.max ?? 1} 個值，以逗號分隔`,
    }
    faults.push(fault(param, words, 'too_many', text))
  }
  const wrong = raw.map(value => mistake(param, filter, isDate, value)).find(Boolean)
  if (wrong) faults.push(wrong)
  return raw.map(value => folded(filter, value))
}

const FOLD: Readonly<Record<NonNullable<Filter['fold']>, (value: string) => string>> = {
  upper: value => value.replace(/[a-z]+/g, letters => letters.toUpperCase()),
  tai: value => value.replaceAll('臺', '台'),
}

/** True for a filter that takes yes or no. */
const isFlag = ({ op, values }: Filter): boolean => op === 'latest' || values?.join() === 'true,false'

function folded(filter: Filter, value: string): string {
  if (isFlag(filter)) return String(flagOf(value) ?? value)
  return filter.fold === undefined ? value : FOLD[filter.fold](value)
}

function mistake(param: string, filter: Filter, isDate: boolean, sent: string): Fault | undefined {
  const value = folded(filter, sent)
  if (isFlag(filter)) return value === 'true' || value === 'false' ? undefined : neitherTrueNorFalse(param, sent)
  if (isDate && !isDay(value)) return fault(param, { en: `${param} must be ${A_DAY.en}`, zh: `${param} 必須是${A_DAY.zh}` }, 'date', sent)
  if (filter.values && !filter.values.includes(value)) return fault(param, oneOf(param, filter.values), 'enum', sent)
  if (filter.pattern && !fullMatch(filter.pattern).test(value)) {
    const form = filter.example ?? filter.pattern
    return fault(param, { en: `${param} must look like ${form}`, zh: `${param} 的格式須如 ${form}` }, 'pattern', sent)
  }
  if ([...value].length > LONGEST_VALUE || /\p{Cc}/u.test(value))
    return fault(param, { en: `${param} holds characters no value has`, zh: `${param} 含有不會出現在資料中的字元` }, 'characters', sent)
  return undefined
}

/** @example periods('2024Q1') // ['2024-Q1'] · periods('2024') // the year and its quarters */
function periods(text: string): readonly string[] {
  const [year, quarter] = [text.slice(0, 4), text.at(-1)]
  return text.length > 4 ? [`${year}-Q${quarter}`] : [text, ...[1, 2, 3, 4].map(season => `${year}-Q${season}`)]
}

function refuseBackwards(filters: readonly BoundFilter[], faults: Fault[]): void {
  const ends = filters.filter(({ op }) => op === 'to')
  for (const from of filters.filter(({ op }) => op === 'from')) {
    const to = ends.find(({ column, values }) => column === from.column && values[0]! < from.values[0]!)
    if (!to) continue
    const words = { en: `${from.param} must not be after ${to.param}`, zh: `${from.param} 不得晚於 ${to.param}` }
    faults.push(fault(from.param, words, 'range', from.values[0]))
  }
}
