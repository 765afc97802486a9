import { hash } from 'node:crypto'

/**
 * Encodes an object as a line of JSON that ends with a checksum. The object must have at least one
 * member.
 */
export function checksummedLine(value: object): string {
  const text = JSON.stringify(value)
  return `${text.slice(0, -1)},"sum":"${checksum(text)}"}\n`
}

export interface ChecksummedLines<T> {
  readonly values: readonly T[]
  /** Number of damaged or incomplete lines. A crash during a write leaves an incomplete line. */
  readonly damaged: number
}

/** Parses lines of JSON. Accepts lines without a checksum, because earlier versions wrote none. */
export function readChecksummedLines<T extends object>(text: string): ChecksummedLines<T> {
  const lines = text.split('\n').filter(line => line !== '')
  const values = lines.map(parseLine<T>).filter(value => value !== undefined)
  return { values, damaged: lines.length - values.length }
}

const CHECKSUMMED = /^(.+),"sum":"([0-9a-f]{16})"\}$/

function parseLine<T extends object>(line: string): T | undefined {
  const [, members, sum] = CHECKSUMMED.exec(line) ?? []
  const text = members === undefined ? line : `${members}}`
  if (sum !== undefined && sum !== checksum(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as T) : undefined
  } catch {
    return undefined
  }
}

const checksum = (text: string): string => hash('sha256', text).slice(0, 16)
