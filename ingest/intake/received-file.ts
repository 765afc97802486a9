import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Dataset, Row } from '../../catalog/index.ts'
import { Refusal } from '../../src/core/index.ts'
import { type Body, bodyRefused, type Feed, type Parsed } from '../formats/index.ts'
import { isSession, type TradingCalendar } from '../publish/index.ts'

/** A file as it was read for a feed: what it holds, or why it is refused. */
export interface ReceivedFile {
  readonly path: string
  readonly name: string
  /** Of the file as received, compressed or not. */
  readonly sha256: string
  readonly size: number
  readonly read: Parsed | Refusal
}

type Empty = Extract<Parsed, { kind: 'empty' }>

/** Largest body taken; the largest real one is under 10 MB. */
const MOST_BYTES = 256 * 1024 * 1024

/**
 * Reads a file and lets the feed parse it. A refusal is a value here, since one bad file must not stop the others.
 *
 * @throws Error when the file cannot be opened
 */
export function readReceivedFile(feed: Feed, path: string, requestedDay: string | undefined): ReceivedFile {
  const raw = readFileSync(path)
  const name = basename(path)
  const facts = { path, name, sha256: createHash('sha256').update(raw).digest('hex'), size: raw.length }
  try {
    const body: Body = { name: name.replace(/\.gz$/, ''), bytes: raw[0] === 0x1f && raw[1] === 0x8b ? inflated(raw) : raw }
    return { ...facts, read: feed.parse(body, requestedDay) }
  } catch (error) {
    if (error instanceof Refusal) return { ...facts, read: error }
    throw error
  }
}

function inflated(raw: Buffer): Uint8Array {
  try {
    return gunzipSync(raw, { maxOutputLength: MOST_BYTES })
  } catch {
    throw bodyRefused('damaged_body', 'The file is cut short or not gzip; fetch it again.')
  }
}

/**
 * Refuses an empty answer that cannot be believed. It may be a holiday, a request made before the exchange published, or a failing source:
 * a day known to be closed is accepted; an ordinary weekday is not, since recording it as closed would hide a missing day; nor is a day
 * that has rows.
 *
 * @param publishedDays days the dataset already holds, for the feed's market where it has one
 */
export function judgeEmpty(
  feed: Feed,
  { date, reason }: Empty,
  calendar: TradingCalendar,
  publishedDays: ReadonlySet<string>,
): Refusal | undefined {
  if (feed.daily === undefined && feed.nothing?.test(reason) !== true) {
    const message = `The body is empty ("${reason}"), and ${feed.name} is a list that always has entries: the source failed, or this is another table's answer. Fetch it again; what is served stays.`
    return bodyRefused('empty_list', message, { said: reason })
  }
  if (date === null) return undefined
  if (publishedDays.has(date)) {
    const message = `${date} has rows already, so an empty answer now is the source failing or withdrawing them. The rows stay; fetch it again, and look at the source if it stays empty.`
    return bodyRefused('rows_held', message, { date, said: reason })
  }
  if (feed.daily === undefined || !isSession(date, calendar)) return undefined
  const message = `${date} is a weekday that no calendar names as closed, and the body is empty: it was asked for too early, or the day was a holiday. Fetch it again after the exchange has published; a holiday is recorded with twmd publish trading-calendar.`
  return bodyRefused('asked_too_early', message, { date })
}

/** Rows that are published or refused together: a whole file, or one day of a file that holds several. */
export interface DayRows {
  /** The day, where the dataset is published day by day. */
  readonly date: string | null
  readonly count: number
  readonly rows: readonly Row[]
}

/** Splits a file's rows by day, so that one bad day does not refuse the others. */
export function splitByDay({ publish, date }: Dataset, rows: readonly Row[]): readonly DayRows[] {
  if (date === undefined || !publish.slice?.includes(date)) return [{ date: null, count: rows.length, rows }]
  return [...Map.groupBy(rows, row => String(row[date]))].map(([day, those]) => ({ date: day, count: those.length, rows: those }))
}
