import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { bodyRefused } from '../formats/index.ts'

const HEAD_BYTES = 1 << 16

/**
 * Returns the separator of a CSV file: a comma, or the tab or semicolon of a heading line without
 * commas.
 */
export async function delimiterOf(path: string): Promise<',' | ';' | '\t'> {
  const [heading = ''] = (await head(path))
    .toString('utf8')
    .replaceAll(/"[^"]*"/g, '')
    .split(/[\r\n]/, 1)
  if (heading.includes(',')) return ','
  return heading.includes('\t') ? '\t' : heading.includes(';') ? ';' : ','
}

/**
 * @param name name of the file in the message
 * @throws Refusal body_refused if the file is not UTF-8; the message contains a command to convert
 * it
 */
export async function requireUtf8(name: string, path: string): Promise<void> {
  if (isUtf16(await head(path))) throw otherEncoding(name, { en: 'is UTF-16;', zh: '為 UTF-16；' }, 'UTF-16')
  if (!(await isUtf8(path))) throw otherEncoding(name, { en: 'is not UTF-8; if it is Big5,', zh: '並非 UTF-8；若為 Big5，' }, 'BIG5')
}

async function head(path: string): Promise<Buffer> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES)
  return buffer.subarray(0, bytesRead)
}

/**
 * Detects UTF-16 by the byte order mark, or by a zero byte. Every Latin letter and comma contains
 * a zero byte.
 */
const isUtf16 = ([first, second]: Buffer): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || first === 0 || second === 0

async function isUtf8(path: string): Promise<boolean> {
  const strict = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const piece of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>)
      strict.decode(piece, { stream: true })
    strict.decode()
    return true
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
}

const otherEncoding = (name: string, found: { readonly en: string; readonly zh: string }, encoding: string) =>
  bodyRefused('unreadable', {
    en: `${name} ${found.en} convert it with iconv -f ${encoding} -t UTF-8 old.csv > new.csv, or save it as UTF-8 in the program that wrote it.`,
    zh: `${name} ${found.zh}請以 iconv -f ${encoding} -t UTF-8 old.csv > new.csv 轉換，或由原程式另存為 UTF-8。`,
  })
