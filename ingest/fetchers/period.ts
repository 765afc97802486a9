import { addDays } from '../../src/core/index.ts'
import type { FetchPeriod, FetchRequest } from '../formats/index.ts'

/** First and last day of a request, `YYYY-MM-DD`. */
export interface Period {
  readonly first: string
  readonly last: string
}

/** Number of months in a period. */
const MONTHS: Readonly<Partial<Record<FetchPeriod, number>>> = { month: 1, quarter: 3 }

export function periodOf(kind: FetchPeriod, day: string): Period {
  const months = MONTHS[kind]
  if (months === undefined) return { first: day, last: day }
  const [year, month] = [Number(day.slice(0, 4)), Number(day.slice(5, 7))]
  const start = Math.floor((month - 1) / months) * months
  const text = (at: number): string => new Date(at).toISOString().slice(0, 10)
  return { first: text(Date.UTC(year, start, 1)), last: text(Date.UTC(year, start + months, 0)) }
}

/** Returns the periods that overlap a range of days, oldest first. */
export function periodsBetween(kind: FetchPeriod, from: string, to: string): readonly Period[] {
  const periods: Period[] = []
  for (let day = from; day <= to; ) {
    const period = periodOf(kind, day)
    periods.push(period)
    day = addDays(period.last, 1)
  }
  return periods
}

/** Longer placeholders come first, because the first match is used. */
const FORMS: readonly (readonly [letters: string, form: (year: number, month: number, day: number) => string | number])[] = [
  ['YYYY', year => year],
  ['ROC', year => year - 1911],
  ['MM', (_, month) => String(month).padStart(2, '0')],
  ['DD', (_year, _month, day) => String(day).padStart(2, '0')],
  ['QQ', (_, month) => `0${Math.ceil(month / 3)}`],
  ['M', (_, month) => month],
  ['D', (_year, _month, day) => day],
  ['Q', (_, month) => Math.ceil(month / 3)],
]
const LETTERS = new RegExp(FORMS.map(([letters]) => letters).join('|'), 'g')

/**
 * Replaces the placeholders of a request.
 *
 * @throws Error for an unknown placeholder
 */
export const filled = ({ url, form }: FetchRequest, period: Period): FetchRequest => ({
  url: filledText(url, period),
  ...(form && { form: Object.fromEntries(Object.entries(form).map(([name, value]) => [name, filledText(value, period)])) }),
})

function filledText(text: string, { first, last }: Period): string {
  return text.replace(/\{(first:)?([^{}]*)\}/g, (_, ofFirst: string | undefined, letters: string) => {
    const [year, month, day] = (ofFirst ? first : last).split('-').map(Number) as [number, number, number]
    const rest = letters.replace(LETTERS, '')
    if (/[a-z]/i.test(rest))
      throw new Error(`Unknown placeholder "${rest}" in {${letters}} of ${text}. Supported: ${FORMS.map(([form]) => form).join(', ')}.`)
    return letters.replace(LETTERS, found => String(FORMS.find(([form]) => form === found)![1](year, month, day)))
  })
}
