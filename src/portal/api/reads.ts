import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type Answer, type Query, type Refused, type Rows, rowsOf, urlOf } from './client.ts'
import { look } from './look.ts'

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

async function inTurn<T>(job: () => Promise<T>): Promise<T> {
  if (running < AT_ONCE) running += 1
  else await new Promise<void>(go => waiting.push(go))
  try {
    return await job()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
}

/** One answer. A reader who asks too fast is told when to come back, and does. */
async function askPatiently(path: string): Promise<Answer<unknown>> {
  for (let tries = 1; ; tries++) {
    const answer = await inTurn(() => look<unknown>({ path }))
    if (answer.ok || answer.refused.status !== 429 || tries === MOST_TRIES) return answer
    const { retryAfter } = answer.refused
    if (retryAfter === null || retryAfter > LONGEST_WAIT_S) return answer
    await new Promise(resolve => setTimeout(resolve, retryAfter * 1_000))
  }
}

type Gathered = { readonly ok: true; readonly rows: Rows } | { readonly ok: false; readonly refused: Refused }

/** Every row of a read, or as many as its `limit` asks for, answer by answer of one release; `next` is left where there are more than any page shows. */
async function gather(read: Read): Promise<Gathered> {
  let address = urlOf({ path: pathOfRead(read), query: { limit: PAGE_ROWS, ...read.query } })
  const asked = read.query['limit']
  let all: Rows | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await askPatiently(address)
    if (!answer.ok) return answer
    const rows = rowsOf(answer)
    all = all ? { ...all, rows: [...all.rows, ...rows.rows], charged: sum(all.charged, rows.charged), next: rows.next } : rows
    if (rows.next === null || asked !== undefined) break
    address = rows.next
  }
  return { ok: true, rows: asked === undefined ? all! : { ...all!, next: null } }
}

const sum = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b)

/** Reads of this page, by address, so that two parts that ask the same share it. */
const shared = new Map<string, Promise<Gathered>>()

function gatherShared(read: Read): Promise<Gathered> {
  const key = addressOfRead(read)
  const known = shared.get(key)
  if (known) return known
  const gathered = gather(read)
  shared.set(key, gathered)
  // A refusal is asked again next time.
  void gathered.then(({ ok }) => ok || shared.delete(key))
  return gathered
}

/** How several reads stand. What was shown before stays while the next answers are on their way. */
export interface Reading {
  readonly state: 'idle' | 'loading' | 'done'
  /** The read each answer is of, in order: while loading, those of before. */
  readonly reads: readonly Read[]
  readonly answers: readonly Gathered[]
}

/** The rows of several reads, whole, asked for when they change. @param reads null asks nothing yet @param turn another number asks again what was refused */
export function useReads(reads: readonly Read[] | null, turn = 0): Signal<Reading> {
  const reading = useSignal<Reading>({ state: 'idle', reads: [], answers: [] })
  const key = reads === null ? null : `${turn} ${reads.map(addressOfRead).join(' ')}`
  const latest = useRef<string | null>(null)
  useEffect(() => {
    latest.current = key
    if (reads === null) return
    reading.value = { ...reading.value, state: 'loading' }
    void Promise.all(reads.map(gatherShared)).then(answers => {
      if (latest.current === key) reading.value = { state: 'done', reads, answers }
    })
  }, [key])
  return reading
}
