import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Answer, type Query, type Refused, type Rows, rowsOf, urlOf } from './client.ts'
import { createShared } from './shared.ts'
import { readAsVisitorFirst } from './visitor-first.ts'

export interface Read {
  readonly slug: string
  readonly path?: string
  readonly query: Query
}

/** Rows per response. Equals the maximum for visitors. */
export const PAGE_ROWS = 2_000
/**
 * Maximum number of responses per read. Twelve responses contain more days than any market has
 * traded.
 */
const MOST_PAGES = 12
/**
 * Maximum number of concurrent reads. Browsers open six connections per host. One connection
 * remains free for other requests. The service queues reads above the plan's limit.
 */
const CONCURRENT = 5
const [MOST_TRIES, LONGEST_WAIT_S] = [3, 5]

export const pathOfRead = ({ path, slug }: Read): string => path ?? `/v2/datasets/${slug}`

export const addressOfRead = (read: Read): string => urlOf({ path: pathOfRead(read), query: read.query })

let running = 0
const waiting: (() => void)[] = []

async function inTurn<T>(job: () => Promise<T>, signal: AbortSignal): Promise<T> {
  if (running < CONCURRENT) running += 1
  else await new Promise<void>(go => waiting.push(go))
  try {
    signal.throwIfAborted()
    return await job()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
}

/** Sends a request. After a refusal for the rate limit, waits for `Retry-After` and tries again. */
async function askPatiently(path: string, signal: AbortSignal): Promise<Answer<unknown>> {
  for (let tries = 1; ; tries++) {
    const answer = await inTurn(() => readAsVisitorFirst<unknown>({ path }, signal), signal)
    if (answer.ok || answer.refused.status !== 429 || tries === MOST_TRIES) return answer
    const { retryAfter } = answer.refused
    if (retryAfter === null || retryAfter > LONGEST_WAIT_S) return answer
    await new Promise(resolve => setTimeout(resolve, retryAfter * 1_000))
  }
}

type Gathered = { readonly ok: true; readonly rows: Rows } | { readonly ok: false; readonly refused: Refused }

/**
 * Reads all rows, page by page from one release. Sets `next` if the result does not contain all
 * rows.
 */
async function gather(read: Read, signal: AbortSignal): Promise<Gathered> {
  let address = urlOf({ path: pathOfRead(read), query: { limit: PAGE_ROWS, ...read.query } })
  const limit = read.query['limit']
  let all: Rows | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await askPatiently(address, signal)
    if (!answer.ok) return answer
    const rows = rowsOf(answer)
    all = all ? { ...all, rows: [...all.rows, ...rows.rows], charged: sum(all.charged, rows.charged), next: rows.next } : rows
    if (rows.next === null || limit !== undefined) break
    address = rows.next
  }
  return { ok: true, rows: limit === undefined ? all! : { ...all!, next: null } }
}

const sum = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b)

const MOST_CACHED = 40

const shared = createShared<Gathered>(MOST_CACHED, ({ ok }) => ok)

/** State of several reads. The previous answers remain while new ones load. */
export interface Reading {
  readonly state: 'idle' | 'loading' | 'done'
  /**
   * The read of each answer, in the same order. While new reads are loading, these are the
   * previous reads.
   */
  readonly reads: readonly Read[]
  readonly answers: readonly Gathered[]
}

/**
 * Reads all rows of several reads. A change of `reads` aborts pending reads, unless another
 * component waits for them.
 *
 * @param reads null if there is nothing to read yet
 * @param turn a new number repeats refused reads
 */
export function useReads(reads: readonly Read[] | null, turn = 0): Signal<Reading> {
  const reading = useSignal<Reading>({ state: 'idle', reads: [], answers: [] })
  const key = reads === null ? null : `${turn} ${reads.map(addressOfRead).join(' ')}`
  useEffect(() => {
    if (reads === null) return
    reading.value = { ...reading.value, state: 'loading' }
    let isWanted = true
    const taken = reads.map(read => shared.take(addressOfRead(read), signal => gather(read, signal)))
    const show = (answers: readonly Gathered[]) => {
      if (isWanted) reading.value = { state: 'done', reads, answers }
    }
    // This promise rejects only after an abort.
    Promise.all(taken.map(({ answer }) => answer)).then(show, () => {})
    return () => {
      isWanted = false
      for (const { leave } of taken) leave()
    }
  }, [key])
  return reading
}
