import iconv from 'iconv-lite'
import { type Body, bodyRefused } from './feed.ts'

export interface Text {
  readonly value: string
  /** What decoding lost, for the report; empty when nothing was. */
  readonly notes: readonly string[]
}

const strict = new TextDecoder('utf-8', { fatal: true })

/** Text without its byte order mark, or undefined where the bytes are not UTF-8. */
function utf8(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}

/** Whether the bytes are UTF-8 but for a last character that is not all there. */
const endsInsideCharacter = (bytes: Uint8Array): boolean =>
  [1, 2, 3].some(cut => /[\u0080-\uffff]/.test(utf8(bytes.subarray(0, -cut)) ?? ''))

/**
 * Bytes as text: UTF-8 when every byte agrees, else cp950, the code page of the exchanges' older pages and CSV files.
 *
 * Characters cp950 does not have become U+FFFD and are counted in `notes`.
 *
 * @throws Refusal damaged_body when the file is blank or stops inside a character
 */
export function decode({ bytes }: Body): Text {
  const value = utf8(bytes)
  if (value !== undefined) {
    if (value.trim() === '') throw bodyRefused('damaged_body', 'The file is blank; fetch it again.')
    return { value, notes: [] }
  }
  if (endsInsideCharacter(bytes)) {
    throw bodyRefused('damaged_body', 'The file stops inside a character, so its end is missing; fetch it again.', { bytes: bytes.length })
  }
  const old = iconv.decode(bytes, 'cp950')
  const lost = old.split('\ufffd').length - 1
  return { value: old, notes: lost === 0 ? [] : [`${lost} characters are outside cp950 and were read as U+FFFD`] }
}
