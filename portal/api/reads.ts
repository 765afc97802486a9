import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Answer, type Query, type Refused, type Rows, rowsOf, urlOf } from './client.ts'
import { look } from './look.ts'
import { createShared } from './shared.ts'

/** A read of a dataset as a page asks for it. */
export interface Read {
  readonly slug: string
  /** Where it is read; `/v2/datasets/{slug}` when absent. */
  readonly path?: string
  readonly query: Query
}

/** Rows of an answer; what a visitor may have of one at most. */
export const PAGE_ROWS = 2_000
/** Answers one read is made of at most, which is more days than any market has traded. */
const MOST_PAGES = 12
/** A browser keeps six connections to a host; one is left for what is no read. Where a plan runs fewer at once, the service has them wait. */
const AT_ONCE = 5
const [MOST_TRIES, LONGEST_WAIT_S] = [3, 5]

/** Where a read is asked. */
export const pathOfRead = ({ path, slug }: Read): string => path ?? `/v2/datasets/${slug}`

/** The address of a read, by which it is told from others. */
export const addressOfRead = (read: Read): string => urlOf({ path: pathOfRead(read), query: read.query })

let running = 0
const waiting: (() => void)[] = []

async function inTurn<T>(job: () => Promise<T>, signal: AbortSignal): Promise<T> {
  if (running < AT_ONCE) running += 1
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

/** One answer. A reader who asks too fast is told when to come back, and does. */
async function askPatiently(path: string, signal: AbortSignal): Promise<Answer<unknown>> {
  for (let tries = 1; ; tries++) {
    const answer = await inTurn(() => look<unknown>({ path }, signal), signal)
    if (answer.ok || answer.refused.status !== 429 || tries === MOST_TRIES) return answer
    const { retryAfter } = answer.refused
    if (retryAfter === null || retryAfter > LONGEST_WAIT_S) return answer
    await new Promise(resolve => setTimeout(resolve, retryAfter * 1_000))
  }
}

type Gathered = { readonly ok: true; readonly rows: Rows } | { readonly ok: false; readonly refused: Refused }

/** Every row of a read, or as many as its `limit` asks for, answer by answer of one release; `next` is left where there are more than any page shows. */
async function gather(read: Read, signal: AbortSignal): Promise<Gathered> {
  let address = urlOf({ path: pathOfRead(read), query: { limit: PAGE_ROWS, ...read.query } })
  const asked = read.query['limit']
  let all: Rows | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await askPatiently(address, signal)
    if (!answer.ok) return answer
    const rows = rowsOf(answer)
    all = all ? { ...all, rows: [...all.rows, ...rows.rows], charged: sum(all.charged, rows.charged), next: rows.next } : rows
    if (rows.next === null || asked !== undefined) break
    address = rows.next
  }
  return { ok: true, rows: asked === undefined ? all! : { ...all!, next: null } }
}

const sum = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b)

/** Reads that a page keeps the rows of. */
const MOST_KEPT = 40

const shared = createShared<Gathered>(MOST_KEPT, ({ ok }) => ok)

/** How several reads stand. What was shown before stays while the next answers are on their way. */
export interface Reading {
  readonly state: 'idle' | 'loading' | 'done'
  /** The read each answer is of, in order: while loading, those of before. */
  readonly reads: readonly Read[]
  readonly answers: readonly Gathered[]
}

/** The rows of several reads, whole, asked for when they change; what is still on its way then is aborted, unless another part waits for it. @param reads null asks nothing yet @param turn another number asks again what was refused */
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
    // They reject only where they were aborted.
    Promise.all(taken.map(({ answer }) => answer)).then(show, () => {})
    return () => {
      isWanted = false
      for (const { leave } of taken) leave()
    }
  }, [key])
  return reading
}
