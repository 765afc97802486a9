import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Audit } from './audited.ts'
import { DAYS, markOf, SLUG, TICKERS } from './marked.ts'
import type { Caller, Prepared } from './service.ts'

/** Of a service that keeps no rows and no answers, and reads each from its file. */
export const NO_CACHES = { CACHE_BYTES: '0', ANSWER_BYTES: '0' }

/** What a running service may take to see that a file was written, on a machine that is busy. */
const SEEN_MS = 15_000
const READ = `/v2/datasets/${SLUG}`
/** What is read, with the rows a whole answer has: histories, which may be in memory, and days, which the engine reads. */
const PATHS = [
  ...TICKERS.slice(0, 10).map(ticker => [`${READ}?symbol=${ticker}`, DAYS.length] as const),
  ...DAYS.map(day => [`${READ}/cross-section?date=${day}`, TICKERS.length] as const),
]
/** Limit of the first reads: more than any of them has rows. */
const LIMIT = 1_000

/** Whole bodies by release and path. */
export type RightBodies = ReadonlyMap<string, string>

/**
 * What every read answers of every release, while all files are whole.
 *
 * @param marks of the releases @throws Error when one answer has other rows than its mark
 */
export async function rightBodies(
  audit: Audit,
  url: string,
  { callers }: Prepared,
  marks: ReadonlyMap<string, number>,
): Promise<RightBodies> {
  const agent = new Agent({ keepAlive: true })
  const bodies = new Map<string, string>()
  for (const [release, mark] of marks)
    for (const [at, [path, rows]] of PATHS.entries()) {
      const headers = { 'x-api-key': callers[at % callers.length]!.key }
      const { status, body } = await audit.ask(agent, `${url}${withQuery(path, `release=${release}`)}`, headers)
      const seen = markOf(String(body))
      if (status !== 200 || seen.length !== rows || seen.some(one => one !== mark))
        throw new Error(`${path} of ${release} is answered with ${status} and ${seen.length} rows: ${[...new Set(seen)]}`)
      bodies.set(`${release} ${path}`, String(body))
    }
  agent.destroy()
  return bodies
}

const withQuery = (path: string, query: string): string => `${path}${path.includes('?') ? '&' : '?'}${query}`

/** Reads one after the other, and compares every byte with what is right of the release that the answer names. */
export type Judge = ReturnType<typeof judging>

/** @param counts of answers, which it adds to */
export function judging(
  audit: Audit,
  url: string,
  callers: readonly Caller[],
  right: RightBodies,
  counts: { answers: number; older: number; refused: number },
) {
  const agent = new Agent({ keepAlive: true })
  const newest = [...right.keys()].at(-1)!.split(' ')[0]!
  let [turn, limit] = [0, LIMIT]
  const one = async (query = '') => {
    const [path] = PATHS[turn % PATHS.length]!
    const headers = { 'x-api-key': callers[turn++ % callers.length]!.key }
    const {
      status,
      headers: told,
      body,
    } = await audit.ask(agent, `${url}${withQuery(path, `limit=${limit}${query && `&${query}`}`)}`, headers)
    const release = told['x-release']!
    counts.answers++
    if (status !== 200) counts.refused++
    else if (release !== newest) counts.older++
    const isWrong = status === 200 && String(body) !== right.get(`${release} ${path}`)
    return {
      status,
      release,
      wrong: isWrong ? [`a wrong answer of ${release} to ${path}: ${differing(right.get(`${release} ${path}`), String(body))}`] : [],
    }
  }
  return {
    one,
    /** From here on other reads are asked for: whole answers that were kept are of no use to them. */
    next: (): void => void limit++,
    /** Reads until a release answers, or anything but it. @returns whether that came about, and what was wrong with the answers before it, and with it */
    async until(release: string, is = true) {
      const before: string[] = []
      for (const ends = performance.now() + SEEN_MS; performance.now() < ends; await sleep(5)) {
        const { status, release: answered, wrong } = await one()
        if ((status === 200 && answered === release) === is) return { came: true, before, wrong }
        before.push(...wrong)
      }
      return { came: false, before, wrong: [] }
    },
    /** What is wrong with so many reads; every path once where it is not said. */
    async each(count = PATHS.length): Promise<readonly string[]> {
      const wrong: string[] = []
      for (let read = 0; read < count; read++) wrong.push(...(await one()).wrong)
      return wrong
    },
    close: () => agent.destroy(),
  }
}

/** Where two bodies part, and what each says there. */
function differing(right: string | undefined, body: string): string {
  if (right === undefined) return 'no such release'
  let at = 0
  while (at < body.length && body[at] === right[at]) at++
  const around = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - 30), at + 20))
  return `${around(body)} in the place of ${around(right)}`
}
