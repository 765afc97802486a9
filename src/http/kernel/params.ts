import { z } from 'zod'
import { type Catalog, type Priced, served } from '../../../catalog/index.ts'
import { isDay, momentOf, nearest, taipei } from '../../core/index.ts'
import { findDataset } from '../../discovery/index.ts'

/** What documentation says of a parameter beside its type. */
interface Said {
  readonly doc: string
  readonly example?: unknown
}

/** A query parameter as zod reads it from text, with the JSON Schema it is documented under. */
function param<T>(schema: z.ZodType<T>, { doc, example }: Said, wire: Readonly<Record<string, unknown>>) {
  return schema.meta({ description: doc, ...(example === undefined ? {} : { example }), wire })
}

/** An integer in decimal digits between two bounds, both included. */
export function whole([least, most]: readonly [number, number], absent: number, said: Said) {
  const message = `must be an integer from ${least} to ${most}`
  const schema = z.string().transform((text, context) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
    if (value >= least && value <= most) return value
    context.addIssue({ code: 'custom', message, params: { type: 'int_range' } })
    return z.NEVER
  })
  return param(schema.default(absent), said, { type: 'integer', minimum: least, maximum: most, default: absent })
}

/** `true` or `false`. */
export function flag(absent: boolean, said: Said) {
  const schema = z.enum(['true', 'false'], { error: 'must be true or false' }).transform(text => text === 'true')
  return param(schema.default(absent), said, { type: 'boolean', default: absent })
}

/** One of some words. With `absent` it has a default, without it is null when not sent. */
export function word<const W extends string>(words: readonly W[], said: Said & { readonly absent: W }): z.ZodType<W>
export function word<const W extends string>(words: readonly W[], said: Said): z.ZodType<W | null>
export function word<const W extends string>(words: readonly W[], said: Said & { readonly absent?: W }) {
  const schema = z.enum(words as readonly [W, ...W[]], { error: `must be one of ${words.join(', ')}` })
  const { absent = null } = said
  return param(schema.nullable().default(absent as never), said, {
    type: 'string',
    enum: words,
    ...(absent === null ? {} : { default: absent }),
  })
}

/** Text of a form, with a value for when it is not sent. @param message says what is taken, after the parameter's name */
export function shaped(form: RegExp, message: string, absent: string, said: Said) {
  const schema = z.string().refine(text => form.test(text), { error: message, params: { type: 'enum' } })
  return param(schema.default(absent), said, { type: 'string', pattern: form.source, default: absent })
}

/** A served dataset by its slug or its id, read as its slug; null when not sent. */
export function datasetName(catalog: Catalog, said: Said, beside: readonly Priced[] = []) {
  const sold = [...served(catalog), ...beside]
  const names = sold.map(({ slug }) => slug)
  const schema = z.string().transform((name, context) => {
    const found = findDataset(catalog, name) ?? beside.find(({ slug, id }) => slug === name || id === name)
    if (found) return found.slug
    const guess = nearest(name.replaceAll('_', '-').toLowerCase(), names)
    const message = `is not the name of a dataset${guess ? `; did you mean ${guess}?` : ''}`
    context.addIssue({ code: 'custom', message, params: { type: 'enum' } })
    return z.NEVER
  })
  return param(schema.nullable().default(null), said, { type: 'string', enum: [...new Set(sold.flatMap(({ slug, id }) => [slug, id]))] })
}

/** One of some words, which has to be sent. */
export function requiredWord<const W extends string>(words: readonly W[], said: Said): z.ZodType<W> {
  const error = ({ input }: { readonly input?: unknown }): string =>
    input === undefined ? `is required: one of ${words.join(', ')}` : `must be one of ${words.join(', ')}`
  return param(z.enum(words as readonly [W, ...W[]], { error }), said, { type: 'string', enum: words })
}

/** A calendar day `YYYY-MM-DD`; null when not sent. */
export function day(said: Said) {
  const schema = z.string().refine(isDay, { error: 'must be a day that exists, as YYYY-MM-DD', params: { type: 'date' } })
  return param(schema.nullable().default(null), said, { type: 'string', format: 'date' })
}

/** An instant as RFC 3339, or a day for its first moment, in Taipei where no offset is written; read as RFC 3339 in Taipei, null when not sent. */
export function moment(said: Said) {
  const schema = z.string().transform((text, context) => {
    const at = momentOf(text)
    if (at) return taipei(at)
    const message = 'must be an RFC 3339 timestamp, such as 2026-07-01T18:00:00+08:00, or a day as YYYY-MM-DD'
    context.addIssue({ code: 'custom', message, params: { type: 'timestamp' } })
    return z.NEVER
  })
  return param(schema.nullable().default(null), said, { type: 'string', maxLength: 40 })
}

/** Any text up to `most` characters; null when not sent. */
export function text(most: number, said: Said) {
  const schema = z.string().max(most, { error: `must be at most ${most} characters` })
  return param(schema.nullable().default(null), said, { type: 'string', maxLength: most })
}

/** Text that has to be sent and is not blank, up to `most` characters. */
export function requiredText(most: number, said: Said) {
  const schema = z.string({ error: 'is required' }).max(most, { error: `must be at most ${most} characters` })
  const filled = schema.refine(value => value.trim() !== '', { error: 'must not be blank', params: { type: 'missing' } })
  return param(filled, said, { type: 'string', minLength: 1, maxLength: most })
}

/** A parameter that may be sent several times, named `name[]`; an empty list when not sent. */
export function several(said: Said) {
  const schema = z.union([z.string().transform(one => [one]), z.array(z.string())]).default([])
  return param(schema as z.ZodType<readonly string[]>, said, { type: 'array', items: { type: 'string' } })
}
