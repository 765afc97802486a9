import iconv from 'iconv-lite'
import { type Body, bodyRefused } from './feed.ts'

export interface Text {
  readonly value: string
  readonly notes: readonly string[]
}

const strict = new TextDecoder('utf-8', { fatal: true })

/** Removes the byte order mark. Undefined if the bytes are not UTF-8. */
function utf8(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}

/** True if only the last character is invalid. */
const endsInsideCharacter = (bytes: Uint8Array): boolean =>
  [1, 2, 3].some(cut => /[\u0080-\uffff]/.test(utf8(bytes.subarray(0, -cut)) ?? ''))

/**
 * Decodes UTF-8, or cp950 as in older pages and CSV files of the exchanges. Bytes that cp950
 * cannot decode become U+FFFD and are counted in `notes`.
 *
 * @throws Refusal damaged_body if the file is blank or ends inside a character
 */
export function decode({ bytes }: Body): Text {
  const value = utf8(bytes)
  if (value !== undefined) {
    if (value.trim() === '') throw bodyRefused('damaged_body', { en: 'The file is empty. Fetch it again.', zh: '檔案是空的；請重新取得。' })
    return { value, notes: [] }
  }
  if (endsInsideCharacter(bytes)) {
    throw bodyRefused(
      'damaged_body',
      {
        en: 'The file ends in the middle of a character, so it is incomplete. Fetch it again.',
        zh: '檔案結尾的字元不完整，內容有缺漏；請重新取得。',
      },
      { bytes: bytes.length },
    )
  }
  const old = iconv.decode(bytes, 'cp950')
  const lost = old.split('\ufffd').length - 1
  return { value: old, notes: lost === 0 ? [] : [`${lost} characters are not in cp950 and were replaced by U+FFFD`] }
}

export type Content =
  | { readonly form: 'json'; readonly value: unknown; readonly notes: readonly string[] }
  | { readonly form: 'html'; readonly text: string; readonly notes: readonly string[] }
  | { readonly form: 'csv'; readonly text: string; readonly notes: readonly string[] }

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    throw bodyRefused(
      'damaged_body',
      { en: `The JSON is incomplete or damaged (${cause}). Fetch it again.`, zh: `JSON 不完整或已損毀（${cause}）；請重新取得。` },
      { characters: text.length },
    )
  }
}

/** Unwraps JSON inside a JSON string, as the central bank sends it. Undefined for other text. */
function jsonInString(text: string): string | undefined {
  try {
    const inner: unknown = JSON.parse(text)
    return typeof inner === 'string' && inner.startsWith('{') ? inner : undefined
  } catch {
    return undefined
  }
}

/**
 * Detects the format by the first character, because the exchanges' content types are unreliable.
 *
 * @throws Refusal damaged_body if the file is blank, truncated inside a character, or invalid JSON
 */
export function contentOf(body: Body): Content {
  const { value: text, notes } = decode(body)
  const first = text.trimStart()[0]
  if (first === '{' || first === '[') return { form: 'json', value: parseJson(text), notes }
  const inner = first === '"' && text.trimStart()[1] === '{' ? jsonInString(text) : undefined
  if (inner !== undefined) return { form: 'json', value: parseJson(inner), notes }
  return { form: first === '<' ? 'html' : 'csv', text, notes }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
