/** Text in both languages. */
export interface Words {
  readonly en: string
  readonly zh: string
}

/** The language of the page, which its path chose. */
export const LANGUAGE: keyof Words = document.documentElement.lang.startsWith('zh') ? 'zh' : 'en'
/** What the platform's own formatting calls it. */
export const LOCALE = LANGUAGE === 'zh' ? 'zh-TW' : 'en'

/** The text in the language of the page. */
export const say = (words: Words): string => words[LANGUAGE]

/** A link to another page of the portal, in the language of this one. @param path for example `/company/2330` */
export const to = (path: string): string => (LANGUAGE === 'zh' ? (path === '/' ? '/zh' : `/zh${path}`) : path)

/** The address of the page without its language, its parts decoded, for example `['company', '2330']`. */
export const pagePath = (): readonly string[] =>
  location.pathname
    .split('/')
    .filter(part => part !== '')
    .slice(LANGUAGE === 'zh' ? 1 : 0)
    .map(decodeURIComponent)

const NUMBERS = new Map<string, Intl.NumberFormat>()

/** A number with separators; null is a dash. @param digits most digits after the point */
export function number(value: number | null | undefined, digits = 2): string {
  if (value === null || value === undefined) return '–'
  const key = String(digits)
  if (!NUMBERS.has(key)) NUMBERS.set(key, new Intl.NumberFormat(LOCALE, { maximumFractionDigits: digits }))
  return NUMBERS.get(key)!.format(value)
}

/** A number with always as many digits after the point, for a column of them; null is a dash. */
export const fixed = (value: number | null | undefined, digits: number): string =>
  value === null || value === undefined
    ? '–'
    : value.toLocaleString(LOCALE, { minimumFractionDigits: digits, maximumFractionDigits: digits })

const SHORT = new Intl.NumberFormat(LOCALE, { notation: 'compact', maximumFractionDigits: 1 })

/** A large number in a few characters, for example `68.9M`, or `6,890萬` in Chinese; null is a dash. */
export const short = (value: number | null | undefined): string => (value === null || value === undefined ? '–' : SHORT.format(value))

const SIZES = (['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const).map(
  unit => new Intl.NumberFormat(LOCALE, { style: 'unit', unit, maximumFractionDigits: unit === 'byte' ? 0 : 1 }),
)

/** A number of bytes in a few characters, for example `112.4 kB`. */
export function size(bytes: number): string {
  const step = Math.min(SIZES.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  return SIZES[step]!.format(bytes / 1_000 ** step)
}

const SIGNED = new Map<number, Intl.NumberFormat>()

/** A change with its sign, always with as many digits after the point: two for a price or a percentage, none for shares; null is a dash. */
export function signed(value: number | null | undefined, digits = 2): string {
  if (value === null || value === undefined) return '–'
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits, signDisplay: 'exceptZero' } as const
  if (!SIGNED.has(digits)) SIGNED.set(digits, new Intl.NumberFormat(LOCALE, options))
  return SIGNED.get(digits)!.format(value)
}

/** A number of credits, with their name. */
export const credits = (count: number): string =>
  say({ en: `${number(count, 0)} ${count === 1 ? 'credit' : 'credits'}`, zh: `${number(count, 0)} 點` })
