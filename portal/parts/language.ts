import { compact } from './figures.ts'

export interface Words {
  readonly en: string
  readonly zh: string
}

export const LANGUAGE: keyof Words = document.documentElement.lang.startsWith('zh') ? 'zh' : 'en'
export const LOCALE = LANGUAGE === 'zh' ? 'zh-TW' : 'en'

export const say = (words: Words): string => words[LANGUAGE]

/**
 * Returns the path of another page in the same language.
 *
 * @param path for example `/company/2330`
 */
export const linkTo = (path: string): string => (LANGUAGE === 'zh' ? (path === '/' ? '/zh' : `/zh${path}`) : path)

/** Returns the parts of the path without the language, for example `['company', '2330']`. */
export const pagePath = (): readonly string[] =>
  location.pathname
    .split('/')
    .filter(part => part !== '')
    .slice(LANGUAGE === 'zh' ? 1 : 0)
    .map(decodeURIComponent)

const FORMATS = new Map<string, Intl.NumberFormat>()

/**
 * Returns a number format. Formats are cached, because creating one takes tens of milliseconds on a
 * slow processor.
 */
function format(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = JSON.stringify(options)
  const cached = FORMATS.get(key)
  if (cached) return cached
  const created = new Intl.NumberFormat(LOCALE, options)
  FORMATS.set(key, created)
  return created
}

const NUMBERS = new Map<number, Intl.NumberFormat>()

/**
 * Formats a number with separators. Null becomes a dash. `digits` is the maximum number of
 * decimals.
 */
export function number(value: number | null | undefined, digits = 2): string {
  if (value === null || value === undefined) return '–'
  // The format is cached, because a table formats thousands of numbers while it scrolls.
  const cached = NUMBERS.get(digits) ?? format({ maximumFractionDigits: digits })
  NUMBERS.set(digits, cached)
  return cached.format(value)
}

/** Formats a number with a fixed number of decimals. Null becomes a dash. */
export const fixed = (value: number | null | undefined, digits: number): string =>
  value === null || value === undefined ? '–' : format({ minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value)

/** Formats a large number, for example `68.9M` or `6,890萬`. Null becomes a dash. */
export const short = (value: number | null | undefined): string => (value === null || value === undefined ? '–' : compact(value, LANGUAGE))

const SIZES = [say({ en: 'bytes', zh: '位元組' }), 'kB', 'MB', 'GB', 'TB'] as const

/** Formats a number of bytes, for example `112.4 kB`. */
export function size(bytes: number): string {
  const step = Math.min(SIZES.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  return `${number(bytes / 1_000 ** step, step === 0 ? 0 : 1)} ${SIZES[step]}`
}

/**
 * Formats a change with its sign. Use two decimals for prices and percentages, none for shares.
 * Null becomes a dash.
 */
export const signed = (value: number | null | undefined, digits = 2): string =>
  value === null || value === undefined
    ? '–'
    : format({ minimumFractionDigits: digits, maximumFractionDigits: digits, signDisplay: 'exceptZero' }).format(value)

export const credits = (count: number): string =>
  say({ en: `${number(count, 0)} ${count === 1 ? 'credit' : 'credits'}`, zh: `${number(count, 0)} 點` })

/** Formats a number of rows, for example `1 row` or `728 rows`. */
export const rowCount = (count: number): string =>
  say({ en: `${number(count, 0)} ${count === 1 ? 'row' : 'rows'}`, zh: `${number(count, 0)} 列` })

export const planName = (id: string): string => id.charAt(0).toUpperCase() + id.slice(1)
