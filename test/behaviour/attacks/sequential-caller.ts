import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { answerOf } from './audited.ts'
import type { Target } from './target.ts'

/** The message that starts the worker thread. */
export interface CallerTask {
  readonly url: string
  readonly key: string
  /** Paths to request, one after the other and repeatedly. */
  readonly paths: readonly string[]
  /** Duration in milliseconds. */
  readonly ms: number
  /** Pause between an answer and the next request, in milliseconds. */
  readonly pauseMs: number
}

/** One answer of the worker thread. The body has one character per byte. */
export interface CallerAnswer {
  readonly path: string
  /** Milliseconds from sending the request to the last byte. */
  readonly ms: number
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The answers of one `ask`. */
export interface CallerResult {
  /** Milliseconds of each answer, from sending the request to the last byte. */
  readonly times: readonly number[]
  /**
   * Milliseconds of each answer according to `Server-Timing`. The remaining time is the wait until
   * the service or the client reads from the connection.
   */
  readonly inside: readonly number[]
  /** Status and error code of each answer other than 200. */
  readonly refused: readonly string[]
}

/** An account that sends one request after the other. */
export interface SequentialCaller {
  ask(task: Omit<CallerTask, 'url'>): Promise<CallerResult>
  close(): Promise<void>
}

/**
 * Sends from a worker thread. In the thread that generates the load, the answers would be processed
 * after those of the load. Answers are recorded at the end.
 */
export async function openSequentialCaller({ url, note }: Pick<Target, 'url' | 'note'>): Promise<SequentialCaller> {
  const worker = new Worker(new URL('sequential-caller-thread.ts', import.meta.url))
  await once(worker, 'online')
  return {
    async ask(task) {
      worker.postMessage({ ...task, url: url.href } satisfies CallerTask)
      const [got] = (await once(worker, 'message')) as [readonly CallerAnswer[]]
      const answers = got.map(({ path, status, headers, body }) => ({ path, answer: answerOf(status, headers, body) }))
      for (const { path, answer } of answers) note(path, answer)
      const refused = answers.filter(({ answer }) => answer.status !== 200).map(({ answer: { status, code } }) => `${status} ${code}`)
      return { times: got.map(({ ms }) => ms), inside: got.map(({ headers }) => timingOf(headers['server-timing'] ?? '')), refused }
    },
    close: async () => void (await worker.terminate()),
  }
}

const timingOf = (timing: string): number => [...timing.matchAll(/dur=([\d.]+)/g)].reduce((sum, [, ms]) => sum + Number(ms), 0)
