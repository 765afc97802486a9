import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterRunning, type Clock, type Log, type WorkerState } from '../../core/index.ts'

/** Child process that is started again whenever the process ends. */
export interface Worker {
  state(): WorkerState
  /** Sends SIGTERM, then SIGKILL after the grace period. Resolves when the process has ended. */
  stop(): Promise<void>
}

export interface SupervisorOptions {
  readonly name: string
  /** A program and its arguments, for Node. */
  readonly argv: readonly string[]
  readonly log: Log
  readonly clock?: Clock
  /** Time before the first restart, in ms. Doubled for each further restart, up to a minute. */
  readonly firstWaitMs?: number
  /** Time between SIGTERM and SIGKILL, in ms. The process must tolerate SIGKILL. */
  readonly graceMs?: number
}

const MOST_WAIT_MS = 60_000
/** A process that ran for at least this long (in ms) is restarted after the shortest wait. */
const STEADY_MS = 60_000
/** Number of characters from the end of the error output. */
const KEPT_WORDS = 2_000

/** Log line of a child process. */
type Sent = readonly [event: Parameters<Log>[0], facts: Readonly<Record<string, unknown>>]

/**
 * Starts a process and restarts it whenever it ends. Each restart waits longer. If the service
 * ends, the IPC channel closes and the process stops.
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
    child = spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
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
    // The event `exit` may precede the last line of the error stream, which contains the cause.
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

export interface Supervised {
  readonly log: Log
  readonly ended: Promise<void>
  /** An open channel keeps the process alive. */
  close(): void
}

/** Undefined if no service started this process. */
export function supervised(): Supervised | undefined {
  if (process.send === undefined) return undefined
  // Without a channel, the service has already ended.
  const ended = process.connected ? new Promise<void>(resolve => process.once('disconnect', resolve)) : Promise.resolve()
  return {
    // The empty callback ignores errors of a closed channel, which would end this process.
    log: (event, facts = {}) => void (process.connected && process.send?.([event, facts], () => {})),
    ended,
    close: () => void (process.connected && process.disconnect?.()),
  }
}
