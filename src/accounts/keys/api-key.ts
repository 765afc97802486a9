import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const PREFIX = 'sk_live_'
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SHAPE = /^sk_live_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/

/** Returns `sk_live_`, 32 random base62 characters and a CRC32. The CRC32 detects typing errors. */
export function newApiKey(): string {
  let body = ''
  // 248 is a multiple of 62, so that all characters are equally likely.
  while (body.length < 32) for (const byte of randomBytes(48)) if (byte < 248 && body.length < 32) body += BASE62[byte % 62]
  return `${PREFIX}${body}${checksum(body)}`
}

export function isApiKeyShaped(secret: string): boolean {
  const match = SHAPE.exec(secret)
  return match !== null && checksum(match[1]!) === match[2]
}

function checksum(body: string): string {
  let rest = crc32(body)
  let text = ''
  for (let index = 0; index < 6; index++) {
    text = BASE62[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  return text
}
