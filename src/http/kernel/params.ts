import { z } from 'zod'
import { type Catalog, type Priced, served } from '../../../catalog/index.ts'
import { A_DAY, DAY_PATTERN, flagOf, isDay, MOMENT_PATTERN, momentOf, nearest, taipei, type Words } from '../../core/index.ts'
import { findDataset } from '../../coverage/index.ts'
import { requires, unmet } from './requirements.ts'

interface ParamDoc {
  readonly doc: string
  readonly example?: unknown
}

function documented<T>(schema: z.ZodType<T>, { doc, example }: ParamDoc, wire: Readonly<Record<string, unknown>>) {
  return schema.meta({ description: doc, ...(example === undefined ? {} : { example }), wire })
}

/**
 * Both bounds are permitted.
 * @param absent the default; null documents no default
 */
export function integer(range: readonly [number, number], absent: number, param: ParamDoc): z.ZodType<number>
export function integer(range: readonly [number, number], absent: null, param: ParamDoc): z.ZodType<number | null>
export function integer([least, most]: readonly [number, number], absent: number | null, param: ParamDoc) {
  const words = { en: `must be an integer from ${least} to ${most}`, zh: `必須是 ${least} 至 ${most} 的整數` }
  const schema = z.string().transform((text, context) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
    if (value >= least && value <= most) return value
    context.addIssue(unmet(words, 'int_range'))
    return z.NEVER
  })
  const wire = { type: 'integer', minimum: least, maximum: most }
  if (absent === null) return documented(schema.nullable().default(null), param, wire)
  return documented(schema.default(absent), param, { ...wire, default: absent })
}

/** `true`, `false`, or another notation that `flagOf` accepts. */
export function flag(absent: boolean, param: ParamDoc) {
  const schema = z.string().transform((text, context) => {
    const value = flagOf(text)
    if (value !== undefined) return value
    context.addIssue(unmet({ en: 'must be true or false', zh: '必須是 true 或 false' }, 'bool'))
    return z.NEVER
  })
  return documented(schema.default(absent), param, { type: 'boolean', default: absent })
}

/** One of a fixed set of words. The default is `absent` or null. */
export function choice<const W extends string>(words: readonly W[], param: ParamDoc & { readonly absent: W }): z.ZodType<W>
export function choice<const W extends string>(words: readonly W[], param: ParamDoc): z.ZodType<W | null>
export function choice<const W extends string>(words: readonly W[], param: ParamDoc & { readonly absent?: W }) {
  const schema = z.enum(words as readonly [W, ...W[]])
  const { absent = null } = param
  return documented(schema.nullable().default(absent as never), param, {
    type: 'string',
    enum: words,
    ...(absent === null ? {} : { default: absent }),
  })
}

/**
 * @param words rest of a sentence that starts with the parameter's name
 * @param absent the default
 */
export function pattern(form: RegExp, words: Words, absent: string, param: ParamDoc) {
  const schema = z.string().refine(text => form.test(text), requires(words, 'enum'))
  return documented(schema.default(absent), param, { type: 'string', pattern: form.source, default: absent })
}

/**
 * Accepts a slug or an id, and returns the slug. Null if not sent. The documentation lists only
 * slugs. Code generators would derive the same constant name from a slug and from an id.
 */
export function datasetName(catalog: Catalog, param: ParamDoc, beside: readonly Priced[] = []) {
  const sold = [...served(catalog), ...beside]
  const names = sold.map(({ slug }) => slug)
  const schema = z.string().transform((name, context) => {
    const found = findDataset(catalog, name) ?? beside.find(({ slug, id }) => slug === name || id === name)
    if (found) return found.slug
    const guess = nearest(name.replaceAll('_', '-').toLowerCase(), names)
    const words = {
      en: `is not a dataset${guess ? `; did you mean ${guess}?` : ''}`,
      zh: `不是資料集${guess ? `；您是指 ${guess} 嗎？` : ''}`,
    }
    context.addIssue(unmet(words, 'enum'))
    return z.NEVER
  })
  return documented(schema.nullable().default(null), param, {
    type: 'string',
    enum: names,
  })
}

export function requiredChoice<const W extends string>(words: readonly W[], param: ParamDoc): z.ZodType<W> {
  return documented(z.enum(words as readonly [W, ...W[]]), param, { type: 'string', enum: words })
}

/** Calendar day `YYYY-MM-DD`. Null if not sent. */
export function day(param: ParamDoc) {
  const schema = z.string().refine(isDay, requires({ en: `must be ${A_DAY.en}`, zh: `必須是${A_DAY.zh}` }, 'date'))
  return documented(schema.nullable().default(null), param, { type: 'string', format: 'date', pattern: DAY_PATTERN.source })
}

/** RFC 3339. Returns the time in Taipei. The default offset is Taipei's. Null if not sent. */
export function instant(param: ParamDoc) {
  const schema = z.string().transform((text, context) => {
    const at = momentOf(text)
    if (at) return taipei(at)
    context.addIssue(unmet(A_MOMENT, 'timestamp'))
    return z.NEVER
  })
  return documented(schema.nullable().default(null), param, { type: 'string', pattern: MOMENT_PATTERN.source })
}

const A_MOMENT: Words = {
  en: 'must be an RFC 3339 timestamp, for example 2026-07-01T18:00:00+08:00, or a day as YYYY-MM-DD, between the years 1000 and 9999',
  zh: '必須是 RFC 3339 時間，例如 2026-07-01T18:00:00+08:00，或日期 YYYY-MM-DD，年份為 1000 至 9999',
}

/** Text of up to `most` characters. Null if not sent. */
export function text(most: number, param: ParamDoc) {
  const schema = z.string().max(most)
  return documented(schema.nullable().default(null), param, { type: 'string', maxLength: most })
}

/**
 * Null if not sent.
 * @param words description of the pattern
 */
export function formed(form: RegExp, words: Words, param: ParamDoc) {
  const schema = z.string().refine(value => form.test(value), requires(words, 'pattern'))
  return documented(schema.nullable().default(null), param, { type: 'string', pattern: form.source })
}

/** Must not be blank. */
export function requiredText(most: number, param: ParamDoc) {
  const filled = z
    .string()
    .max(most)
    .refine(value => value.trim() !== '', requires({ en: 'must not be blank', zh: '不得空白' }, 'empty'))
  return documented(filled, param, { type: 'string', pattern: '\\S', maxLength: most })
}

/** The parameter `name[]` may be repeated. An empty list if not sent. */
export function list(param: ParamDoc) {
  const schema = z.union([z.string().transform(one => [one]), z.array(z.string())]).default([])
  return documented(schema as z.ZodType<readonly string[]>, param, { type: 'array', items: { type: 'string' } })
}
