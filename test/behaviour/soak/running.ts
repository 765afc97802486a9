import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { isAlive } from '../../../src/core/index.ts'
import { CLI, environment } from '../../fixtures/cli/twmd.ts'

/** One life of the service, from a start to the next stop. */
export interface Life {
  /** Counted from 1. */
  readonly number: number
  readonly url: string
  /** URL of the metrics. */
  readonly metrics: string
  readonly pid: number
  /** Start time by `performance.now()`. */
  readonly began: number
  /** True after the search index was built. The service refuses searches before that. */
  searchable(): boolean
  /** Process ids of its children, such as the publisher. */
  children(): readonly number[]
  /**
   * Sends the signal and waits until the service and its children have ended.
   *
   * @returns the exit code; null after a kill
   */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>
}

export interface Start {
  readonly dataDir: string
  readonly env: Readonly<Record<string, string>>
  readonly number: number
  /** Called with every error line of the service's log. */
  readonly failed: (record: string) => void
}

/** Flag with which `src/run.mjs` starts the service's Node. */
const NO_WARNING = '--disable-warning=ExperimentalWarning'

/**
 * Starts `twmd serve` with the inbox watcher, and waits until it listens. Reads its log without
 * storing it.
 */
export async function startLife({ dataDir, env, number, failed }: Start): Promise<Life> {
  const began = performance.now()
  const child = spawn(process.execPath, [NO_WARNING, CLI, 'serve'], {
    env: environment(dataDir, { PORT: '0', METRICS_PORT: '0', INBOX: 'on', INBOX_SETTLE_MS: '300', ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let isIndexed = false
  const { url, metrics } = await listening(child, failed, () => {
    isIndexed = true
  })
  const children = (): readonly number[] => childrenOf(child.pid!)
  return {
    number,
    url,
    metrics,
    pid: child.pid!,
    began,
    children,
    searchable: () => isIndexed,
    async end(signal) {
      const others = children()
      if (child.exitCode === null && child.signalCode === null) {
        child.kill(signal)
        await once(child, 'exit')
      }
      while (others.some(isAlive)) await new Promise(resolve => setTimeout(resolve, 20))
      return child.exitCode
    },
  }
}

function listening(child: ChildProcess, failed: Start['failed'], indexed: () => void): Promise<Pick<Life, 'url' | 'metrics'>> {
  const { promise, resolve, reject } = Promise.withResolvers<Pick<Life, 'url' | 'metrics'>>()
  let last = ''
  createInterface({ input: child.stdout! }).on('line', record => {
    if (record.includes('"event":"listening"')) resolve(JSON.parse(record))
    else if (record.includes('"event":"search indexed"')) indexed()
    else if (/^{"level":[56]0/.test(record)) failed(record)
  })
  createInterface({ input: child.stderr! }).on('line', record => {
    last = record
  })
  child.once('exit', code => reject(new Error(`twmd serve ended with ${code}: ${last}`)))
  return promise
}

/** Process ids of children. Empty on systems other than Linux. */
function childrenOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap(task =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    )
  } catch {
    return []
  }
}
