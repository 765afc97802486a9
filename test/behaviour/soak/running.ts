import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { isAlive } from '../../../src/core/index.ts'
import { CLI, environment } from '../../fixtures/cli/twmd.ts'

/** One life of the service: from a start to the next stop. */
export interface Life {
  /** Counted from 1. */
  readonly number: number
  readonly url: string
  /** Address of the metrics. */
  readonly metrics: string
  readonly pid: number
  /** By `performance.now()`. */
  readonly began: number
  /** Whether its search index is made; a search before is refused. */
  searchable(): boolean
  /** Processes beside it, such as the one that publishes. */
  beside(): readonly number[]
  /** Stops it, politely or not, and waits until it and what ran beside it are gone. @returns the exit code, null after a kill */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>
}

export interface Start {
  readonly dataDir: string
  readonly env: Readonly<Record<string, string>>
  readonly number: number
  /** Told every line of the log that is an error. */
  readonly failed: (line: string) => void
}

/** Flags that `src/run.mjs` gives the service's Node. */
const FLAGS = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=32']

/** Starts `twmd serve`, with the inbox beside it, and waits until it listens. Its log is read and not kept. */
export async function startLife({ dataDir, env, number, failed }: Start): Promise<Life> {
  const began = performance.now()
  const child = spawn(process.execPath, [...FLAGS, CLI, 'serve'], {
    env: environment(dataDir, { PORT: '0', METRICS_PORT: '0', INBOX: 'on', INBOX_SETTLE_MS: '300', ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let isIndexed = false
  const { url, metrics } = await listening(child, failed, () => {
    isIndexed = true
  })
  const beside = (): readonly number[] => childrenOf(child.pid!)
  return {
    number,
    url,
    metrics,
    pid: child.pid!,
    began,
    beside,
    searchable: () => isIndexed,
    async end(signal) {
      const others = beside()
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
  createInterface({ input: child.stdout! }).on('line', line => {
    if (line.includes('"event":"listening"')) resolve(JSON.parse(line))
    else if (line.includes('"event":"search indexed"')) indexed()
    else if (/^{"level":[56]0/.test(line)) failed(line)
  })
  createInterface({ input: child.stderr! }).on('line', line => {
    last = line
  })
  child.once('exit', code => reject(new Error(`twmd serve ended with ${code}: ${last}`)))
  return promise
}

/** Only Linux tells; elsewhere none. */
function childrenOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap(task =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    )
  } catch {
    return []
  }
}
