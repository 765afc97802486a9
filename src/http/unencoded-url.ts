import { Refusal } from '../core/index.ts'

/** In characters. The refusal does not repeat longer URLs. */
const LONGEST = 2_000

/**
 * Returns a refusal that contains the encoded URL. Undefined for other parse errors.
 * @param packet bytes of the connection
 * @param at the offset of the error
 */
export function unencodedUrl(packet: Buffer, at: number): Refusal | undefined {
  const start = packet.lastIndexOf('\n', Math.max(0, at - 1)) + 1
  const line = packet.subarray(start).toString('latin1').split(/\r?\n/, 1)[0]!
  const target = /^[A-Z]+ (\S+)/.exec(line)?.[1]
  if (target === undefined || !/[\x80-\xff]/.test(target)) return undefined
  const encoded = encodedOf(target)
  const known = encoded !== undefined && encoded.length <= LONGEST && !encoded.includes('sk_live_')
  return new Refusal(
    'malformed_request',
    {},
    {
      en: `The URL contains characters that must be percent-encoded as UTF-8${known ? `. Send ${encoded}.` : ', for example %E5%8F%B0 for 台.'}`,
      zh: `網址含有必須以 UTF-8 百分號編碼的字元${known ? `。請傳送 ${encoded}。` : '，例如「台」為 %E5%8F%B0。'}`,
    },
  )
}

/** Undefined if the bytes are not UTF-8. */
function encodedOf(target: string): string | undefined {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(target, 'latin1'))
  } catch {
    return undefined
  }
  return target.replaceAll(/[\x80-\xff"<>\\^`{|}]/g, byte => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
}
