import { Worker } from 'node:worker_threads'
import type { CheckpointResult, CheckpointSettings } from './checkpoint-worker.ts'
import type { Database } from './db.ts'

/** After a power cut, commits of this time may be missing. */
const INTERVAL_MS = 1_000
/**
 * Number of pages (4 KB) above which the log is overwritten from the start. Under load, the log
 * would otherwise grow forever.
 */
const LONG_LOG_PAGES = 16_384
/** Number of pages at which SQLite copies the log itself, if the thread has failed. */
const FALLBACK_PAGES = 4 * LONG_LOG_PAGES

/** Without this call, commits of the connection also copy the log, which blocks for 4 to 9 ms. */
export const leaveToCheckpoints = (db: Database): void => void db.pragma(`wal_autocheckpoint = ${FALLBACK_PAGES}`)

/** Syncs commits to disk and copies the write-ahead log to the state file. */
export interface Checkpoints {
  /** Call after each commit. Syncs within about a second. */
  schedule(): void
  /** Ends the thread. Call before closing the connections. */
  close(): Promise<void>
}

/**
 * Runs checkpoints in a thread, because syncing a file blocks for several ms.
 *
 * @param db connection that commits
 * @param onFailure called with errors. The next commit tries again
 */
export function createCheckpoints(db: Database, onFailure: (error: unknown) => void): Checkpoints {
  let timer: NodeJS.Timeout | undefined
  let thread: { readonly worker: Worker; readonly exited: Promise<void> } | undefined
  let state: 'idle' | 'scheduled' | 'running' | 'closed' = 'idle'
  /** True after a commit during a checkpoint, which may not include the commit. */
  let committedMeanwhile = false
  const schedule = (): void => {
    if (state === 'running') committedMeanwhile = true
    if (state !== 'idle') return
    state = 'scheduled'
    timer = setTimeout(run, INTERVAL_MS).unref()
  }
  /**
   * Only this connection commits, and no commit runs during this call. The copy is therefore
   * complete.
   */
  const finishLog = (): void => {
    try {
      checkpoint(db)
    } catch (error) {
      onFailure(error)
    }
  }
  const finished = (result: CheckpointResult): void => {
    if (state === 'closed') return
    state = 'idle'
    if ('code' in result) onFailure(Object.assign(new Error(result.message), { code: result.code }))
    else if (result.pages > LONG_LOG_PAGES) finishLog()
    if (committedMeanwhile) schedule()
    committedMeanwhile = false
  }
  const run = (): void => {
    state = 'running'
    thread ??= startThread(db.name, finished, reason => {
      thread = undefined
      finished({ code: 'thread', message: reason })
    })
    thread.worker.postMessage('checkpoint')
  }
  const close = async (): Promise<void> => {
    clearTimeout(timer)
    state = 'closed'
    if (!thread) return
    const { worker, exited } = thread
    // Keeps the process running until the connections are closed.
    worker.ref()
    worker.postMessage('close')
    await exited
  }
  let closing: Promise<void> | undefined
  return {
    schedule,
    close: () => (closing ??= close()),
  }
}

/** @param onEnd called with the reason if the thread ends unexpectedly */
function startThread(path: string, onResult: (result: CheckpointResult) => void, onEnd: (reason: string) => void) {
  const workerData: CheckpointSettings = { path, longLogPages: LONG_LOG_PAGES }
  const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), { execArgv: [], workerData })
  worker.unref()
  let reason = 'the thread ended'
  worker.on('message', onResult)
  worker.on('error', error => {
    reason = String(error)
  })
  const { promise: exited, resolve } = Promise.withResolvers<void>()
  worker.once('exit', () => {
    resolve()
    onEnd(reason)
  })
  return { worker, exited }
}

/**
 * Copies the write-ahead log and syncs the state file.
 * @returns false if the copy is incomplete
 */
export function checkpoint(db: Database): boolean {
  const [row] = db.pragma('wal_checkpoint(PASSIVE)') as readonly {
    readonly busy: number
    readonly log: number
    readonly checkpointed: number
  }[]
  return row!.busy === 0 && row!.log === row!.checkpointed
}
