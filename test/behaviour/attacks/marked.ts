import { createHash } from 'node:crypto'
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Row } from '../../../catalog/index.ts'
import { trade, weekdays } from '../../fixtures/publish/rows.ts'
import type { Audit } from './audited.ts'
import type { Caller } from './service.ts'

export const SLUG = 'institutional-positioning'
export const TICKERS: readonly string[] = Array.from({ length: 60 }, (_, index) => String(1_101 + index))
export const DAYS = weekdays('2026-06-01', 5)
/**
 * Number of different values per mark. All rows have different values, so that no two days are
 * equal.
 */
const WIDTH = 10_000

/** The rows of a release, with the mark in each value. */
export const marked = (mark: number): readonly Row[] =>
  DAYS.flatMap((day, at) => TICKERS.map((ticker, index) => trade(ticker, day, mark * WIDTH + at * 1_000 + index)))

/** The mark of each row of an answer, in JSON or NDJSON. */
export const markOf = (text: string): readonly number[] =>
  [...text.matchAll(/"foreign_net_buy":\s*(\d+)/g)].map(([, value]) => Math.floor(Number(value) / WIDTH))

const READ = `/v2/datasets/${SLUG}`
/** Paths to read, with the number of rows of a whole answer. */
const READS: readonly (readonly [path: string, rows: number])[] = [
  ...TICKERS.slice(0, 20).map(ticker => [`${READ}?symbol=${ticker}&columns=foreign_net_buy`, DAYS.length] as const),
  ...DAYS.map(day => [`${READ}/cross-section?date=${day}&columns=foreign_net_buy`, TICKERS.length] as const),
  [`${READ}?symbol=${TICKERS.slice(0, 40).join(',')}&columns=foreign_net_buy&limit=1000&format=ndjson`, 40 * DAYS.length],
]
/** Number of answers after which one is requested again from the same release. */
const AGAIN_EVERY = 50

/**
 * Reads a dataset of marked releases in a loop until stopped, and checks that all rows of an answer
 * are from one release.
 *
 * @param audit records every answer
 * @param shortage true if connections may fail
 */
export function readMarked(audit: Audit, url: string, callers: readonly Caller[], { readers = 8, restMs = 0, shortage = false } = {}) {
  const agent = new Agent({ keepAlive: true })
  const [marks, bodies] = [new Map<string, number>(), new Map<string, string>()]
  const faults: string[] = []
  const counts = { answers: 0, again: 0, refused: 0 }
  let [turn, hasEnded] = [0, false]
  const get = (path: string) => audit.ask(agent, `${url}${path}`, { 'x-api-key': callers[turn++ % callers.length]!.key })

  /** Answers of one release must be the same for all callers and requests. */
  const isSame = (path: string, release: string, body: Buffer): boolean => {
    const [name, sha256] = [`${path} of ${release}`, createHash('sha256').update(body).digest('hex')]
    const former = bodies.get(name)
    bodies.set(name, sha256)
    return former === undefined || former === sha256
  }
  const read = async (): Promise<void> => {
    const [path, rows] = READS[turn % READS.length]!
    const { status, headers, body } = await get(path)
    const release = headers['x-release']
    if (status !== 200 || release === undefined) {
      counts.refused++
      if (![429, 503].includes(status)) faults.push(`${path}: ${status} ${body.subarray(0, 200)}`)
      return void (await sleep(20))
    }
    counts.answers++
    const seen = markOf(String(body))
    const mark = marks.get(release) ?? seen[0]!
    marks.set(release, mark)
    if (seen.length !== rows || seen.some(value => value !== mark))
      faults.push(`${path} of ${release}: ${seen.length} rows, ${[...new Set(seen)]}`)
    if (!isSame(path, release, body)) faults.push(`${path} of ${release} was answered with two bodies`)
    if (counts.answers % AGAIN_EVERY !== 0) return
    const pinned = await get(`${path}&release=${release}`)
    if (pinned.status !== 200) return
    counts.again++
    if (!isSame(path, release, pinned.body)) faults.push(`${path} of ${release} was answered otherwise by its name`)
  }
  const reading = Promise.all(
    Array.from({ length: readers }, async () => {
      while (!hasEnded) {
        // If descriptors are scarce, the service may close a connection before it reads the
        // request.
        await read().catch(error => (shortage ? counts.refused++ : faults.push(`a read failed: ${error}`)))
        if (restMs > 0) await sleep(restMs)
      }
    }),
  )
  return {
    counts,
    /** Marks by release, for releases that were read. */
    marks,
    /** @returns the distinct violations */
    async stop(): Promise<readonly string[]> {
      hasEnded = true
      await reading
      agent.destroy()
      return [...new Set(faults)]
    },
  }
}
