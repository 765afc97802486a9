import type { z } from 'zod'
import type { FaultType, Words } from '../../core/index.ts'

/** `words` complete a sentence that starts with the value's name. */
export interface Requirement {
  readonly words: Words
  readonly type: FaultType
}

/** Argument for zod's `refine`, so that failures have our message. */
export const requires = (words: Words, type: FaultType) => ({ params: { words, type } satisfies Requirement })

/** Issue for zod's `transform`. */
export const unmet = (words: Words, type: FaultType) => ({ code: 'custom', ...requires(words, type) }) as const

/** Returns the text that comes after the name of a parameter in messages. */
export const oneOfWords = (words: readonly unknown[]): Words =>
  words.length === 1
    ? { en: `must be ${words[0]}`, zh: `必須是 ${words[0]}` }
    : { en: `must be one of ${words.join(', ')}`, zh: `必須是下列其中之一：${words.join('、')}` }

/**
 * Replaces the messages of zod.
 * @param missing false if a value was sent, otherwise the documented example
 */
export function requirementOf(issue: z.core.$ZodIssue, missing: false | { readonly example: string | undefined }): Requirement {
  if (issue.code === 'custom' && issue.params) {
    const { words, type } = issue.params as unknown as Requirement
    return { words, type: missing ? 'missing' : type }
  }
  const { words, type } = REQUIREMENTS[issue.code]?.(issue as never) ?? ANYTHING
  return missing ? { words: required(words, missing.example), type: 'missing' } : { words, type }
}

/** Includes an example, because "must be text" says too little. */
function required(words: Words, example: string | undefined): Words {
  if (words === KINDS['string'])
    return example === undefined
      ? { en: 'is required', zh: '為必填' }
      : { en: `is required, for example ${example}`, zh: `為必填，例如 ${example}` }
  return { en: `is required: ${words.en.replace(/^must be /, '')}`, zh: `為必填，${words.zh}` }
}

const ANYTHING: Requirement = { words: { en: 'does not have the required format', zh: '格式不正確' }, type: 'pattern' }

type Issues = { readonly [C in z.core.$ZodIssue['code']]?: (issue: Extract<z.core.$ZodIssue, { code: C }>) => Requirement | undefined }

const REQUIREMENTS: Issues = {
  invalid_type: ({ expected }) => ({ words: KINDS[expected] ?? ANYTHING.words, type: 'wrong_type' }),
  invalid_value: ({ values }) =>
    values.every(value => value === 'true' || value === 'false')
      ? { words: { en: 'must be true or false', zh: '必須是 true 或 false' }, type: 'bool' }
      : { words: oneOfWords(values), type: 'enum' },
  too_big: ({ maximum, origin }) => tooBig[origin]?.(maximum),
  too_small: ({ minimum, origin }) => tooSmall[origin]?.(minimum),
  invalid_format: ({ format }) => FORMATS[format],
}

const KINDS: Readonly<Record<string, Words>> = {
  string: { en: 'must be text', zh: '必須是文字' },
  number: { en: 'must be a number', zh: '必須是數字' },
  int: { en: 'must be an integer', zh: '必須是整數' },
  boolean: { en: 'must be true or false', zh: '必須是 true 或 false' },
  object: { en: 'must be a JSON object', zh: '必須是 JSON 物件' },
  record: { en: 'must be a JSON object', zh: '必須是 JSON 物件' },
  array: { en: 'must be a list', zh: '必須是陣列' },
}

type Bounds = Readonly<Record<string, (bound: number | bigint) => Requirement>>

const most = (bound: number | bigint): Requirement => ({
  words: { en: `must be an integer of at most ${bound}`, zh: `必須是不大於 ${bound} 的整數` },
  type: 'int_range',
})
const least = (bound: number | bigint): Requirement => ({
  words: { en: `must be an integer of at least ${bound}`, zh: `必須是不小於 ${bound} 的整數` },
  type: 'int_range',
})

const tooBig: Bounds = {
  string: bound => ({ words: { en: `must have at most ${bound} characters`, zh: `最多 ${bound} 個字元` }, type: 'too_long' }),
  array: bound => ({ words: { en: `must have at most ${bound} values`, zh: `最多 ${bound} 個值` }, type: 'too_many' }),
  number: most,
  int: most,
}
const tooSmall: Bounds = {
  string: () => ({ words: { en: 'must not be blank', zh: '不得空白' }, type: 'empty' }),
  array: () => ({ words: { en: 'must not be empty', zh: '不得為空' }, type: 'empty' }),
  number: least,
  int: least,
}

const FORMATS: Readonly<Record<string, Requirement>> = {
  datetime: {
    words: {
      en: 'must be an RFC 3339 timestamp with an offset, for example 2026-07-01T18:00:00+08:00',
      zh: '必須是含時區的 RFC 3339 時間，例如 2026-07-01T18:00:00+08:00',
    },
    type: 'timestamp',
  },
  date: { words: { en: 'must be a day in the form YYYY-MM-DD', zh: '必須是日期，寫作 YYYY-MM-DD' }, type: 'date' },
}
