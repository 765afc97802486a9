import { hash } from 'node:crypto'

/**
 * A value with at least one member as a line of a journal, line break included: JSON as any other, closed by a hash of what stands before,
 * so that a line in which a bit flipped is not believed.
 */
export function sealedLine(value: object): string {
  const text = JSON.stringify(value)
  return `${text.slice(0, -1)},"sum":"${sumOf(text)}"}\n`
}

/** What a journal holds. */
export interface SealedLines<T> {
  readonly values: readonly T[]
  /** Lines that say nothing: damaged, or cut off by a crash. */
  readonly damaged: number
}

/** The values of a journal's lines, without their hashes. A line of an earlier version has none, and is taken as it is. */
export function readSealed<T extends object>(text: string): SealedLines<T> {
  const lines = text.split('\n').filter(line => line !== '')
  const values = lines.map(valueIn<T>).filter(value => value !== undefined)
  return { values, damaged: lines.length - values.length }
}

const SEALED = /^(.+),"sum":"([0-9a-f]{16})"\}$/

function valueIn<T extends object>(line: string): T | undefined {
  const [, members, sum] = SEALED.exec(line) ?? []
  const text = members === undefined ? line : `${members}}`
  if (sum !== undefined && sum !== sumOf(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as T) : undefined
  } catch {
    return undefined
  }
}

const sumOf = (text: string): string => hash('sha256', text).slice(0, 16)
