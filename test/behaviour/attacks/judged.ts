import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Audit } from './audited.ts'
import { DAYS, markOf, SLUG, TICKERS } from './marked.ts'
import type { Caller, Prepared } from './service.ts'

/** Environment of a service without row and response caches: it reads each answer from files. */
export const NO_CACHES = { CACHE_BYTES: '0', ANSWER_BYTES: '0' }

/**
 * Maximum time in milliseconds until a running service notices a changed file, on a busy machine.
 */
const SEEN_MS = 15_000
const READ = `/v2/datasets/${SLUG}`
/**
 * Paths to read, with the number of rows of a whole answer: histories, which may be in memory, and
 * days, which the engine reads.
 */
const PATHS = [
  ...TICKERS.slice(0, 10).map(ticker => [`${READ}?symbol=${ticker}`, DAYS.length] as const),
  ...DAYS.map(day => [`${READ}/cross-section?date=${day}`, TICKERS.length] as const),
]
/** Limit of the first reads. It is above the row count of every path. */
const LIMIT = 1_000

/** Whole bodies by release and path, read while all files are intact. */
export type RightBodies = ReadonlyMap<string, string>

/**
 * Reads every path of every release while all files are intact.
 *
 * @param marks value of each release
 * @throws Error if an answer has rows of another mark
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
    for (const [index, [path, rows]] of PATHS.entries()) {
      const headers = { 'x-api-key': callers[index % callers.length]!.key }
      const { status, body } = await audit.ask(agent, `${url}${withQuery(path, `release=${release}`)}`, headers)
      const seen = markOf(String(body))
      if (status !== 200 || seen.length !== rows || seen.some(value => value !== mark))
        throw new Error(`${path} of ${release} is answered with ${status} and ${seen.length} rows: ${[...new Set(seen)]}`)
      bodies.set(`${release} ${path}`, String(body))
    }
  agent.destroy()
  return bodies
}

const withQuery = (path: string, query: string): string => `${path}${path.includes('?') ? '&' : '?'}${query}`

/**
 * Reads sequentially. Compares each body with the correct body of the release that the answer
 * names.
 */
export type Judge = ReturnType<typeof judging>

/** @param counts updated with each answer */
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
  const readOne = async (query = '') => {
    const [path] = PATHS[turn % PATHS.length]!
    const headers = { 'x-api-key': callers[turn++ % callers.length]!.key }
    const {
      status,
      headers: answerHeaders,
      body,
    } = await audit.ask(agent, `${url}${withQuery(path, `limit=${limit}${query && `&${query}`}`)}`, headers)
    const release = answerHeaders['x-release']!
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
    readOne,
    /** Changes the limit of subsequent reads, so that they match no cached response. */
    next: (): void => void limit++,
    /**
     * Reads until an answer names `release` (`is` true) or another release (`is` false).
     *
     * @returns whether this happened, the wrong answers before it, and whether that answer was
     * wrong
     */
    async until(release: string, is = true) {
      const before: string[] = []
      for (const ends = performance.now() + SEEN_MS; performance.now() < ends; await sleep(5)) {
        const { status, release: answered, wrong } = await readOne()
        if ((status === 200 && answered === release) === is) return { came: true, before, wrong }
        before.push(...wrong)
      }
      return { came: false, before, wrong: [] }
    },
    /**
     * Reads `count` times, by default every path once.
     * @returns the wrong answers
     */
    async readMany(count = PATHS.length): Promise<readonly string[]> {
      const wrong: string[] = []
      for (let read = 0; read < count; read++) wrong.push(...(await readOne()).wrong)
      return wrong
    },
    close: () => agent.destroy(),
  }
}

/** Shows the first difference between two bodies, with the text around it. */
function differing(right: string | undefined, body: string): string {
  if (right === undefined) return 'no such release'
  let position = 0
  while (position < body.length && body[position] === right[position]) position++
  const around = (text: string): string => JSON.stringify(text.slice(Math.max(0, position - 30), position + 20))
  return `${around(body)} instead of ${around(right)}`
}
