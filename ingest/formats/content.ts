import { type Body, bodyRefused } from './feed.ts'
import { decode } from './text.ts'

/** A body by the form it is written in, before anyone asks which table it is. */
export type Content =
  | { readonly form: 'json'; readonly value: unknown; readonly notes: readonly string[] }
  | { readonly form: 'html'; readonly text: string; readonly notes: readonly string[] }
  | { readonly form: 'csv'; readonly text: string; readonly notes: readonly string[] }

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    throw bodyRefused('damaged_body', `The JSON breaks off or is damaged (${cause}); fetch it again.`, { characters: text.length })
  }
}

/**
 * Form by the first character, because the exchanges' content types cannot be relied on.
 *
 * @throws Refusal damaged_body when the bytes are blank, cut inside a character, or JSON that does not parse
 */
export function contentOf(body: Body): Content {
  const { value: text, notes } = decode(body)
  const first = text.trimStart()[0]
  if (first === '{' || first === '[') return { form: 'json', value: parseJson(text), notes }
  return { form: first === '<' ? 'html' : 'csv', text, notes }
}

/** A JSON object, not an array and not null. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
