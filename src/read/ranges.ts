import { allColumns, type Dataset, rangeColumns } from '../../catalog/index.ts'
import { type Fault, type FaultType, nearest, type Words } from '../core/index.ts'
import { type BoundFilter, fault, type RangeOperator } from './filters.ts'

const NUMBER = '-?[0-9]+(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?'
const RANGE = new RegExp(`^([^:]*):(${NUMBER})?\\.\\.(?:(<?)(${NUMBER}))?$`)

/** Largest absolute value in an integer column. */
const MOST_INTEGER = 2n ** 53n

/** `sent` is the canonical value of `range`, or null. */
interface SentRanges {
  readonly filters: readonly BoundFilter[]
  readonly sent: string | null
}

/**
 * Validates `range`, for example `close:100..250,volume:1000..`. Adds the first error of each type
 * to `faults`.
 */
export function readRanges(dataset: Dataset, text: string | undefined, faults: Fault[]): SentRanges {
  if (text === undefined) return { filters: [], sent: null }
  const reported = new Set<FaultType>()
  const addFault: AddFault = (type, input, words) => {
    if (!reported.has(type)) faults.push(fault('range', words(), type, input))
    reported.add(type)
  }
  const parts = text.split(',').map(part => part.trim())
  const names = rangeColumns(dataset)
  if (parts.length > names.length) {
    addFault('too_many', text, () => tooMany(parts.length, names.length))
    return { filters: [], sent: null }
  }
  const ranges: Range[] = []
  for (const part of parts) {
    const range = parseRange(dataset, part, addFault)
    if (!range) continue
    if (ranges.some(({ column }) => column === range.column)) addFault('repeated_value', part, () => repeatedColumn(range.column))
    ranges.push(range)
  }
  return { filters: ranges.flatMap(boundsOf), sent: ranges.map(textOf).join(',') }
}

/** Null for an open end. */
interface Range {
  readonly column: string
  readonly from: string | null
  readonly to: string | null
  /** True if the range excludes the upper bound. */
  readonly below: boolean
}

type AddFault = (type: FaultType, input: string, words: () => Words) => void

function parseRange(dataset: Dataset, part: string, addFault: AddFault): Range | undefined {
  const names = rangeColumns(dataset)
  const [, name, from = null, less, to = null] = RANGE.exec(part) ?? []
  const column = (name ?? /^([^:]*):/.exec(part)?.[1])?.trim()
  if (column !== undefined && !names.includes(column)) {
    addFault('enum', part, () => notNumeric(dataset, column, names))
    return undefined
  }
  if (column === undefined || name === undefined || (from === null && to === null)) {
    addFault('pattern', part, () => malformed(column ?? names[0]!))
    return undefined
  }
  const isInteger = dataset.columns[column]!.type === 'integer'
  const inexact = [from, to].filter(end => end !== null).find(end => !(isInteger ? isStorableInteger(end) : isExact(end)))
  if (inexact !== undefined) {
    addFault('range', inexact, () => (isInteger ? notAnInteger(column) : notExact(column, inexact)))
    return undefined
  }
  const canonical = (end: string | null): string | null => end && (isInteger ? String(BigInt(end)) : shortest(end))
  const range = { column, from: canonical(from), to: canonical(to), below: less === '<' }
  if (isEmpty(range)) addFault('range', part, () => emptyRange(range))
  return range
}

const isEmpty = ({ from, to, below }: Range): boolean =>
  from !== null && to !== null && (Number(from) > Number(to) || (below && Number(from) === Number(to)))

function boundsOf({ column, from, to, below }: Range): readonly BoundFilter[] {
  const bound = (op: RangeOperator, value: string): BoundFilter => ({ param: 'range', column, op, values: [value] })
  return [...(from === null ? [] : [bound('at_least', from)]), ...(to === null ? [] : [bound(below ? 'below' : 'at_most', to)])]
}

const textOf = ({ column, from, to, below }: Range): string => `${column}:${from ?? ''}..${below ? '<' : ''}${to ?? ''}`

function isStorableInteger(text: string): boolean {
  if (!/^-?\d{1,18}$/.test(text)) return false
  const value = BigInt(text)
  return value >= -MOST_INTEGER && value <= MOST_INTEGER
}

/** True if a double represents all digits: true for 0.1, false for 0.10000000000000001. */
function isExact(text: string): boolean {
  const value = Number(text)
  return Number.isFinite(value) && decimalOf(text) === decimalOf(String(value))
}

/** Removes the plus sign of the exponent, because a plus sign in a URL is a space. */
const shortest = (text: string): string => String(Number(text)).replace('+', '')

/** Returns the same text for equal numbers, for example 100, 1e2 and 100.0. */
function decimalOf(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  return significant === '' ? '0' : `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`
}

const malformed = (column: string): Words => ({
  en: `range must look like ${column}:100..250, ${column}:100.. or ${column}:..250; both ends are inclusive, ..< excludes the upper end`,
  zh: `range 的格式須如 ${column}:100..250、${column}:100.. 或 ${column}:..250；兩端皆包含在內，以 ..< 排除上限`,
})

function notNumeric(dataset: Dataset, column: string, names: readonly string[]): Words {
  const guess = nearest(column, names)
  const [en, zh] = allColumns(dataset).includes(column) ? [`${column} is not numeric; `, `${column} 不是數值欄位；`] : ['', '']
  return {
    en: `${en}range accepts ${names.join(', ')}${guess ? `; did you mean ${guess}?` : ''}`,
    zh: `${zh}range 可指定的欄位：${names.join('、')}${guess ? `；您是指 ${guess} 嗎？` : ''}`,
  }
}

const tooMany = (parts: number, columns: number): Words => ({
  en: `range has ${parts} parts, but only ${columns} columns can be filtered: use each column once, for example close:100..250`,
  zh: `range 有 ${parts} 段，但可指定的欄位只有 ${columns} 個；每個欄位只能指定一次，例如 close:100..250`,
})

const repeatedColumn = (column: string): Words => ({
  en: `range contains ${column} twice: combine both ends, for example ${column}:100..250`,
  zh: `range 重複指定 ${column}；請合併兩端，例如 ${column}:100..250`,
})

const notAnInteger = (column: string): Words => ({
  en: `${column} contains integers up to ±${MOST_INTEGER}: write the end of its range as an integer, or leave it open`,
  zh: `${column} 為整數，絕對值不超過 ${MOST_INTEGER}；範圍的端點須為整數，或留空`,
})

function notExact(column: string, text: string): Words {
  const value = Number(text)
  if (!Number.isFinite(value))
    return {
      en: `${column} contains no number of that size: leave that end of its range open`,
      zh: `${column} 沒有這麼大的數值；請將該端留空`,
    }
  return {
    en: `${column} contains 64-bit numbers: use ${value}, the nearest one`,
    zh: `${column} 為 64 位元數值；請改用最接近的 ${value}`,
  }
}

const emptyRange = ({ column, from, to, below }: Range): Words => ({
  en: `the range of ${column} from ${from} to ${below ? 'below ' : ''}${to} is empty: write the smaller end first`,
  zh: `${column} 自 ${from} 至${below ? '小於 ' : ' '}${to} 的範圍為空；請先寫較小的一端`,
})
