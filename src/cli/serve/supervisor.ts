import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterRunning, type Clock, type Log, type WorkerState } from '../../core/index.ts'

/** A process that runs beside the service for as long as the service does. */
export interface Worker {
  state(): WorkerState
  /** Asks the process to stop, and ends it where it does not within the grace; resolves once it is gone. It is not started again. */
  stop(): Promise<void>
}

export interface SupervisorOptions {
  readonly name: string
  /** Arguments of this process's own Node: a program and what it is given. */
  readonly argv: readonly string[]
  readonly log: Log
  readonly clock?: Clock
  /** Milliseconds before it is started again for the first time; doubled each time up to a minute. */
  readonly firstWaitMs?: number
  /** Milliseconds that a stop may take. What is ended midway must leave nothing half done. */
  readonly graceMs?: number
}

const MOST_WAIT_MS = 60_000
/** Whoever ran this long is not failing at its start: the next wait is the first one again. */
const STEADY_MS = 60_000
/** Characters kept of what a process said last on its error stream. */
const KEPT_WORDS = 2_000

/** What a process under supervision sends: a line for the service's log. */
type Sent = readonly [event: Parameters<Log>[0], facts: Readonly<Record<string, unknown>>]

/**
 * Starts a process and starts it again, after a wait that grows, whenever it ends by itself. Its log lines come over a channel into the
 * service's log; when the service is gone, however it went, the channel closes and the process stops by itself.
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
    // Once the error stream has ended as well: what it says last is why.
    child.on('close', (code, signal) => over(signal === null ? `It ended with ${code}.` : `It was ended by ${signal}.`))
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

/** Runs a command of `twmd` beside the service. @param args the command and what it is given, for example `['watch']` */
export const superviseCommand = (args: readonly [string, ...string[]], log: Log): Worker =>
  supervise({ name: args[0], argv: [fileURLToPath(new URL('../index.ts', import.meta.url)), ...args], log })

/** The other end, in a process that a service runs: its way into the service's log, and what ends it. */
export interface Supervised {
  readonly log: Log
  /** Resolves when the service has stopped, or is gone. */
  readonly ended: Promise<void>
  /** Closes the channel, which keeps the process alive. */
  close(): void
}

/** @returns undefined in a process that no service runs */
export function supervised(): Supervised | undefined {
  if (process.send === undefined) return undefined
  // A service that was ended while this process started is gone already, and nothing says so again.
  const ended = process.connected ? new Promise<void>(resolve => process.once('disconnect', resolve)) : Promise.resolve()
  return {
    // Who no longer listens need not be told; without a callback the failure would end this process.
    log: (event, facts = {}) => void (process.connected && process.send?.([event, facts], () => {})),
    ended,
    close: () => void (process.connected && process.disconnect?.()),
  }
}
