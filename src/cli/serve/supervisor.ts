import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterRunning, type Clock, type Log, type WorkerState } from '../../core/index.ts'

/** A child process that is restarted whenever it ends. */
export interface Worker {
  state(): WorkerState
  /** Sends SIGTERM, then SIGKILL after the grace period. Resolves when the process has ended. */
  stop(): Promise<void>
}

export interface SupervisorOptions {
  readonly name: string
  /** Arguments for Node: a program and its arguments. */
  readonly argv: readonly string[]
  readonly log: Log
  readonly clock?: Clock
  /** Milliseconds before the first restart. Doubled for each further restart, up to a minute. */
  readonly firstWaitMs?: number
  /** Milliseconds between SIGTERM and SIGKILL. The process must tolerate SIGKILL at any time. */
  readonly graceMs?: number
}

const MOST_WAIT_MS = 60_000
/** After this run time in ms, the next restart waits only `firstWaitMs`. */
const STEADY_MS = 60_000
/** Characters from the end of the error output. */
const KEPT_WORDS = 2_000

/** A line for the service's log. */
type Sent = readonly [event: Parameters<Log>[0], facts: Readonly<Record<string, unknown>>]

/**
 * Starts a process, and restarts it after a growing wait. The process sends log lines through an
 * IPC channel. If the service ends, the channel closes and the process stops.
 */
export function supervise({ name, argv, log, clock = () => new Date(), firstWaitMs = 1_000, graceMs = 10_000 }: SupervisorOptions): Worker {
  let child: ChildProcess
  let [startedAt, restarts, waitMs] = [clock(), 0, firstWaitMs]
  let lastFailure: WorkerState['lastFailure'] = null
  let cancelWait = (): void => {}
  let stopping = false
  const isRunning = (): boolean => child.pid !== undefined && child.exitCode === null && child.signalCode === null
  const start = (): void => {
    const began = performance.now()
    startedAt = clock()
    let words = ''
    let isOver = false
    child = spawn(process.execPath, [...process.execArgv, ...argv], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
    child.stderr!.on('data', bytes => (words = `${words}${bytes}`.slice(-KEPT_WORDS)))
    child.on('message', message => {
      const [event, facts] = message as Sent
      if (event === 'failed') lastFailure = { at: clock(), message: String(facts['error'] ?? facts['during'] ?? '') }
      log(event, facts)
    })
    const over = (how: string): void => {
      if (isOver || stopping) return
      isOver = true
      if (performance.now() - began >= STEADY_MS) waitMs = firstWaitMs
      const message = words.trim().split('\n').at(-1) || how
      lastFailure = { at: clock(), message }
      log('failed', { during: `twmd ${name}`, error: message, again_in_ms: waitMs })
      cancelWait = afterRunning(waitMs, () => {
        restarts++
        start()
      })
      waitMs = Math.min(waitMs * 2, MOST_WAIT_MS)
    }
    // The last line of the error stream contains the cause, and `exit` may come earlier.
    child.on('close', (code, signal) => over(signal === null ? `Exit code ${code}.` : `Ended by ${signal}.`))
    child.on('error', error => {
      if (!isRunning()) over(error.message)
    })
  }
  start()
  return {
    state: () => ({ name, running: isRunning(), startedAt, restarts, lastFailure }),
    async stop() {
      stopping = true
      cancelWait()
      if (!isRunning()) return
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      const cancelKill = afterRunning(graceMs, () => child.kill('SIGKILL'))
      await gone
      cancelKill()
    },
  }
}

/** @param args command and arguments, for example `['watch']` */
export const superviseCommand = (args: readonly [string, ...string[]], log: Log): Worker =>
  supervise({ name: args[0], argv: [fileURLToPath(new URL('../index.ts', import.meta.url)), ...args], log })

/** Connection of a child process to the service. */
export interface Supervised {
  readonly log: Log
  readonly ended: Promise<void>
  /** An open channel keeps the process alive. */
  close(): void
}

/** @returns undefined if no service started this process */
export function supervised(): Supervised | undefined {
  if (process.send === undefined) return undefined
  // No `disconnect` event occurs if the service has already ended.
  const ended = process.connected ? new Promise<void>(resolve => process.once('disconnect', resolve)) : Promise.resolve()
  return {
    // Without the empty callback, a closed channel would end this process.
    log: (event, facts = {}) => void (process.connected && process.send?.([event, facts], () => {})),
    ended,
    close: () => void (process.connected && process.disconnect?.()),
  }
}
