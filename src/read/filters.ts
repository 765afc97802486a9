import type { Dataset, Filter, Operator } from '../../catalog/index.ts'
import { A_DAY, clipped, type Fault, type FaultType, flagOf, isDay, type Words } from '../core/index.ts'

/** Only `below` excludes the bound. */
export const RANGE_OPERATORS = ['at_least', 'at_most', 'below'] as const
export type RangeOperator = (typeof RANGE_OPERATORS)[number]

/** Accepts rows that were announced by the requested day, or whose announcement day is unknown. */
export const KNOWN_BY = 'known_by'

export const isRange = ({ op }: BoundFilter): boolean => RANGE_OPERATORS.some(operator => operator === op)

/**
 * Only `in`, `period` and `first_of` have several values. A range with two bounds becomes two
 * filters.
 */
export interface BoundFilter {
  readonly param: string
  readonly column: string
  readonly also?: string
  readonly op: Operator | RangeOperator | typeof KNOWN_BY
  readonly values: readonly string[]
}

/** In characters. Stored values are never longer. */
export const LONGEST_VALUE = 200

export type SingleValues = Readonly<Record<string, string | undefined>>

/** Repeats up to 100 characters of the input. */
export const fault = (name: string, words: Words, type: FaultType, input?: string): Fault => ({
  loc: ['query', name],
  words,
  type,
  ...(input === undefined ? {} : { input: clip(input) }),
})

export const clip = (text: string): string => clipped(text, 100)

/** The catalog has a few dozen patterns, so the cache needs no limit. */
const compiled = new Map<string, RegExp>()

/** Returns a regular expression that matches only whole texts. */
export function fullMatch(pattern: string): RegExp {
  const fullPattern = compiled.get(pattern) ?? new RegExp(`^(?:${pattern})$`)
  compiled.set(pattern, fullPattern)
  return fullPattern
}

/**
 * Validates the filters and adds errors to `faults`. `sent` has the canonical value of each filter,
 * or null. A parameter with an error in `faults` is not reported as missing.
 */
export function readFilters(dataset: Dataset, single: SingleValues, faults: Fault[]) {
  const filters: BoundFilter[] = []
  const sent: Record<string, string | null> = {}
  const refused = faults.length > 0 ? new Set(faults.map(({ loc }) => loc[1])) : null
  for (const param in dataset.filters) {
    const filter = dataset.filters[param]!
    const text = single[param]
    sent[param] = null
    if (text === undefined || text === '') {
      if (filter.required && !refused?.has(param)) faults.push(fault(param, missing(param, filter), 'missing'))
      else if (text === '') faults.push(fault(param, empty(param), 'empty', ''))
      if (filter.op !== 'first_of') continue
    }
    const isDate = dataset.columns[filter.column]?.type === 'date'
    const values = text ? readValues(param, filter, isDate, text, faults) : (filter.values ?? []).filter(value => value !== filter.all)
    if (text) sent[param] = values.join(',')
    const op = filter.op === 'first_of' && text ? 'eq' : filter.op
    if (values[0] === filter.all || (op === 'latest' && values[0] !== 'true')) continue
    const boundValues = op === 'period' ? periods(values[0]!) : values
    filters.push({ param, column: filter.column, op, values: boundValues, ...(filter.also ? { also: filter.also } : {}) })
  }
  refuseReversedDates(filters, faults)
  return { filters, sent }
}

const missing = (param: string, { doc, example }: Filter): Words => ({
  en: `${param} is required${example === undefined ? '' : `, for example ${param}=${example}`}. ${doc}`,
  zh: `缺少必要的參數 ${param}${example === undefined ? '' : `，例如 ${param}=${example}`}`,
})
const empty = (param: string): Words => ({
  en: `${param} is empty: send a value or omit it`,
  zh: `${param} 沒有值；請省略或填入值`,
})
/** @param hint how to send several values; null if only one value is allowed */
export const repeated = (name: string, hint: Words | null): Words => ({
  en: `${name} occurs more than once: send it once${hint ? `, ${hint.en}` : ''}`,
  zh: `${name} 重複傳送；請只傳送一次${hint ? `，${hint.zh}` : ''}`,
})
export const WITH_COMMAS: Words = { en: 'with values separated by commas', zh: '多個值以逗號分隔' }

export const oneOf = (name: string, words: readonly string[]): Words => {
  if (words.length === 1) return { en: `${name} must be ${words[0]}`, zh: `${name} 必須是 ${words[0]}` }
  return { en: `${name} must be one of ${words.join(', ')}`, zh: `${name} 必須是下列其中之一：${words.join('、')}` }
}

export const notABoolean = (param: string, sent: string): Fault =>
  fault(param, { en: `${param} must be true or false`, zh: `${param} 必須是 true 或 false` }, 'bool', sent)

/** Splits a value at commas and validates each part. Adds errors to `faults`. */
export function readValues(param: string, filter: Filter, isDate: boolean, text: string, faults: Fault[]): readonly string[] {
  if (filter.onlyOne && text.includes(',')) {
    const words = { en: `${param} takes ${filter.onlyOne.en}`, zh: `${param} ${filter.onlyOne.zh}` }
    faults.push(fault(param, words, 'too_many', text))
    return [text]
  }
  const sentValues = filter.op === 'in' && text.includes(',') ? [...new Set(text.split(','))] : [text]
  if (sentValues.length > (filter.max ?? 1)) {
    const words = {
      en: `${param} accepts at most ${filter.max ?? 1} values, separated by commas`,
      zh: `${param} 最多可有 ${filter.max ?? 1} 個值，以逗號分隔`,
    }
    faults.push(fault(param, words, 'too_many', text))
  }
  const firstFault = sentValues.map(value => valueFault(param, filter, isDate, value)).find(Boolean)
  if (firstFault) faults.push(firstFault)
  return sentValues.map(value => folded(filter, value))
}

const FOLD: Readonly<Record<NonNullable<Filter['fold']>, (value: string) => string>> = {
  upper: value => value.replace(/[a-z]+/g, letters => letters.toUpperCase()),
  tai: value => value.replaceAll('臺', '台'),
}

const isFlag = ({ op, values }: Filter): boolean => op === 'latest' || values?.join() === 'true,false'

function folded(filter: Filter, value: string): string {
  if (isFlag(filter)) return String(flagOf(value) ?? value)
  return filter.fold === undefined ? value : FOLD[filter.fold](value)
}

function valueFault(param: string, filter: Filter, isDate: boolean, sent: string): Fault | undefined {
  const value = folded(filter, sent)
  if (isFlag(filter)) return value === 'true' || value === 'false' ? undefined : notABoolean(param, sent)
  if (isDate && !isDay(value)) return fault(param, { en: `${param} must be ${A_DAY.en}`, zh: `${param} 必須是${A_DAY.zh}` }, 'date', sent)
  if (filter.values && !filter.values.includes(value)) return fault(param, oneOf(param, filter.values), 'enum', sent)
  if (filter.pattern && !fullMatch(filter.pattern).test(value)) {
    const form = filter.example ?? filter.pattern
    return fault(param, { en: `${param} must look like ${form}`, zh: `${param} 的格式須如 ${form}` }, 'pattern', sent)
  }
  if ((value.length > LONGEST_VALUE && [...value].length > LONGEST_VALUE) || /\p{Cc}/u.test(value))
    return fault(param, { en: `${param} contains characters that are not allowed`, zh: `${param} 含有不允許的字元` }, 'characters', sent)
  return undefined
}

/**
 * Returns the stored names of a period. A year includes the four quarters. @example
 * periods('2024Q1') // ['2024-Q1']
 */
function periods(text: string): readonly string[] {
  const year = text.slice(0, 4)
  const quarter = text.at(-1)
  return text.length > 4 ? [`${year}-Q${quarter}`] : [text, ...[1, 2, 3, 4].map(season => `${year}-Q${season}`)]
}

function refuseReversedDates(filters: readonly BoundFilter[], faults: Fault[]): void {
  const ends = filters.filter(({ op }) => op === 'to')
  for (const from of filters.filter(({ op }) => op === 'from')) {
    const to = ends.find(({ column, values }) => column === from.column && values[0]! < from.values[0]!)
    if (!to) continue
    const words = { en: `${from.param} must not be after ${to.param}`, zh: `${from.param} 不得晚於 ${to.param}` }
    faults.push(fault(from.param, words, 'range', from.values[0]))
  }
}
