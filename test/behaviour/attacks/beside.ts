import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { answerOf } from './audited.ts'
import type { Target } from './target.ts'

/** What the thread beside is told to ask for. */
export interface Asking {
  readonly url: string
  readonly key: string
  /** In turn. */
  readonly paths: readonly string[]
  /** How long it asks. */
  readonly ms: number
  /** Rest between an answer and the next request, in milliseconds. */
  readonly pauseMs: number
}

/** One answer as the thread beside got it. The body has a byte a character. */
export interface Got {
  readonly path: string
  /** From sending the request to the last byte. */
  readonly ms: number
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What came of asking. */
export interface Asked {
  /** Milliseconds of each answer, from sending the request to the last byte. */
  readonly times: readonly number[]
  /** Milliseconds of each that the service says it took; what lies between is waiting to be read, by the service or by who asked. */
  readonly inside: readonly number[]
  /** What the answers other than 200 were. */
  readonly refused: readonly string[]
}

/** An account that asks for one thing after the other. */
export interface Beside {
  ask(asking: Omit<Asking, 'url'>): Promise<Asked>
  close(): Promise<void>
}

/** Asks from a thread of its own: in that of a load, answers would wait for those of the load to be read. They are noted once it is over. */
export async function openBeside({ url, note }: Pick<Target, 'url' | 'note'>): Promise<Beside> {
  const worker = new Worker(new URL('beside-thread.ts', import.meta.url))
  await once(worker, 'online')
  return {
    async ask(asking) {
      worker.postMessage({ ...asking, url: url.href } satisfies Asking)
      const [got] = (await once(worker, 'message')) as [readonly Got[]]
      const answers = got.map(({ path, status, headers, body }) => ({ path, answer: answerOf(status, headers, body) }))
      for (const { path, answer } of answers) note(path, answer)
      const refused = answers.filter(({ answer }) => answer.status !== 200).map(({ answer: { status, code } }) => `${status} ${code}`)
      return { times: got.map(({ ms }) => ms), inside: got.map(({ headers }) => timingOf(headers['server-timing'] ?? '')), refused }
    },
    close: async () => void (await worker.terminate()),
  }
}

const timingOf = (timing: string): number => [...timing.matchAll(/dur=([\d.]+)/g)].reduce((sum, [, ms]) => sum + Number(ms), 0)
