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

const FORMATS = new Map<string, Intl.NumberFormat>()

/** A format, made when it is first used: making one takes a slow processor tens of milliseconds. */
function format(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = JSON.stringify(options)
  const known = FORMATS.get(key)
  if (known) return known
  const made = new Intl.NumberFormat(LOCALE, options)
  FORMATS.set(key, made)
  return made
}

const NUMBERS = new Map<number, Intl.NumberFormat>()

/** A number with separators; null is a dash. @param digits most digits after the point */
export function number(value: number | null | undefined, digits = 2): string {
  if (value === null || value === undefined) return '–'
  // A table writes thousands of them as it scrolls.
  const known = NUMBERS.get(digits) ?? format({ maximumFractionDigits: digits })
  NUMBERS.set(digits, known)
  return known.format(value)
}

/** A number with always as many digits after the point, for a column of them; null is a dash. */
export const fixed = (value: number | null | undefined, digits: number): string =>
  value === null || value === undefined ? '–' : format({ minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value)

/** A large number in a few characters, for example `68.9M`, or `6,890萬` in Chinese; null is a dash. */
export const short = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : format({ notation: 'compact', maximumFractionDigits: 1 }).format(value)

const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** A number of bytes in a few characters, for example `112.4 kB`. */
export function size(bytes: number): string {
  const step = Math.min(SIZES.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  return format({ style: 'unit', unit: SIZES[step]!, maximumFractionDigits: step === 0 ? 0 : 1 }).format(bytes / 1_000 ** step)
}

/** A change with its sign, always with as many digits after the point: two for a price or a percentage, none for shares; null is a dash. */
export const signed = (value: number | null | undefined, digits = 2): string =>
  value === null || value === undefined
    ? '–'
    : format({ minimumFractionDigits: digits, maximumFractionDigits: digits, signDisplay: 'exceptZero' }).format(value)

/** A number of credits, with their name. */
export const credits = (count: number): string =>
  say({ en: `${number(count, 0)} ${count === 1 ? 'credit' : 'credits'}`, zh: `${number(count, 0)} 點` })
