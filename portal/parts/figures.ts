/** This module does not use the DOM, so tests can import it. */

/** Formats the values of one unit, by the settings of this browser. */
export interface Measure {
  /** The unit. Empty if the values have none. */
  readonly unit: string
  /** Formats a value with its unit. Null becomes a dash. */
  readonly text: (value: number | null | undefined) => string
  /** Formats a change with sign and unit. Null becomes a dash. */
  readonly signed: (value: number | null | undefined) => string
  /** Formats a value without its unit. Null becomes a dash. */
  readonly plain: (value: number | null | undefined) => string
  /** Formats a short value for an axis. */
  readonly axis: (value: number) => string
  /** Formats all digits, in the unit of the API. Null becomes a dash. */
  readonly exact: (value: number | null | undefined) => string
}

/** Columns with a fixed unit: shares per 1,000 shares, and labels that state thousands of TWD. */
const FIXED_UNIT = /_per_thousand$|^bonus$|^entitlement$|_k$/

/** True for share counts and amounts of money. The display settings apply to these columns. */
export const isAmount = ({ name, unit }: { readonly name: string; readonly unit: string | null }): boolean =>
  (unit === 'shares' || unit === 'TWD' || unit === 'TWD thousand') && !FIXED_UNIT.test(name)

const STEPS = {
  en: [
    [1e12, 'T'],
    [1e9, 'B'],
    [1e6, 'M'],
    [1e4, 'K', 1e3],
  ],
  zh: [
    [1e12, '兆'],
    [1e8, '億'],
    [1e4, '萬'],
  ],
} as const satisfies Readonly<Record<string, readonly (readonly [from: number, suffix: string, unit?: number])[]>>

/**
 * Formats about four digits in a large unit, for example `272.7B` or `2,727億`. The result has at
 * most two decimals.
 *
 * @param isPadded true to keep zeros at the end, so that figures line up
 */
export function compact(value: number, language: 'en' | 'zh', isPadded = false): string {
  const size = Math.abs(value)
  const step = STEPS[language].find(([from]) => size >= from)
  const scaled = step ? value / (step[2] ?? step[0]) : value
  const digits = Math.abs(scaled) >= 1_000 ? 0 : Math.abs(scaled) >= 100 ? 1 : 2
  const text = formatOf(language, digits, isPadded && step ? digits : 0).format(scaled)
  return step ? `${text}${step[1]}` : text
}

const formats = new Map<string, Intl.NumberFormat>()

function formatOf(language: string, digits: number, least: number): Intl.NumberFormat {
  const key = `${language} ${digits} ${least}`
  const options = { minimumFractionDigits: least, maximumFractionDigits: digits }
  const format = formats.get(key) ?? new Intl.NumberFormat(language === 'zh' ? 'zh-TW' : 'en', options)
  formats.set(key, format)
  return format
}
