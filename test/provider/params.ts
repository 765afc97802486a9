import type { Form } from './form.ts'
import { invalid, missing, unknownParam } from './refusals.ts'

/** Looks at one parameter. @throws Refused when its value does not do */
export type Check = (value: string | Form, name: string) => void

export type Fields = Readonly<Record<string, Check>>

const matching =
  (fits: (text: string) => boolean, said: (text: string, name: string) => string, code?: string): Check =>
  (value, name) => {
    if (typeof value !== 'string') throw invalid(name, `Invalid string: ${name}`)
    if (!fits(value)) throw invalid(name, said(value, name), code)
  }

export const text = (most = 5_000): Check =>
  matching(
    value => value.length > 0 && value.length <= most,
    (_, name) => `Invalid string: ${name} must have 1 to ${most} characters`,
  )

export const oneOf = (...words: readonly string[]): Check =>
  matching(
    value => words.includes(value),
    (value, name) => `Invalid ${name}: must be one of ${words.join(', ')}, not ${value}`,
  )

export const flag: Check = oneOf('true', 'false')

export const whole = (least: number, most: number): Check =>
  matching(
    value => /^-?\d+$/.test(value) && Number(value) >= least && Number(value) <= most,
    (value, name) => `Invalid integer for ${name}: ${value}`,
    'parameter_invalid_integer',
  )

export const email: Check = matching(
  value => /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(value) && value.length <= 512,
  value => `Invalid email address: ${value}`,
  'email_invalid',
)

export const url: Check = matching(
  value => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol) && value.length <= 5_000,
  () => 'Not a valid URL',
  'url_invalid',
)

/** What the account calls its own thing: letters, digits, dashes and underscores. */
export const reference: Check = matching(
  value => /^[\w-]{1,200}$/.test(value),
  (_, name) => `Invalid ${name}`,
)

export const listOf =
  (check: Check): Check =>
  (value, name) => {
    if (typeof value === 'string') throw invalid(name, `Invalid array: ${name}`)
    for (const [index, entry] of Object.entries(value)) {
      if (!/^\d+$/.test(index)) throw invalid(name, `Invalid array: ${name}`)
      check(entry, `${name}[${index}]`)
    }
  }

export const object =
  (fields: Fields, required: readonly string[] = []): Check =>
  (value, name) => {
    if (typeof value === 'string') throw invalid(name, `Invalid object: ${name}`)
    check(value, fields, required, name)
  }

export const metadata: Check = (value, name) => {
  if (typeof value === 'string') throw invalid(name, `Invalid object: ${name}`)
  const entries = Object.entries(value)
  const fits = entries.every(([key, entry]) => key.length <= 40 && typeof entry === 'string' && entry.length <= 500)
  if (!fits || entries.length > 50) throw invalid(name, `Invalid metadata: ${name}`)
}

/** Every list takes these. */
export const PAGING: Fields = { limit: whole(1, 100), starting_after: text(), ending_before: text() }

const bounds = object(Object.fromEntries(['gt', 'gte', 'lt', 'lte'].map(name => [name, whole(0, 2 ** 40)])))

/** A moment, or an object of bounds. */
export const moments: Check = (value, name) => (typeof value === 'string' ? whole(0, 2 ** 40) : bounds)(value, name)

/** Holds parameters against what is taken. `expand` is taken everywhere and changes nothing. @throws Refused naming the first mistake */
export function check(form: Form, fields: Fields, required: readonly string[] = [], within?: string): void {
  const full = (name: string): string => (within === undefined ? name : `${within}[${name}]`)
  for (const [name, value] of Object.entries(form)) {
    if (name === 'expand' && within === undefined) listOf(text())(value, name)
    else if (!Object.hasOwn(fields, name)) throw unknownParam(full(name))
    else fields[name]!(value, full(name))
  }
  for (const name of required) if (form[name] === undefined) throw missing(full(name))
}
