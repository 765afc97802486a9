import { Worker } from 'node:worker_threads'
import type { CheckpointResult, CheckpointSettings } from './checkpoint-worker.ts'
import type { Database } from './db.ts'

/** Milliseconds from a commit to its sync. A power cut can lose the commits of this time. */
const INTERVAL_MS = 1_000
/**
 * Number of pages (4 KB) above which the write-ahead log is started again. Under constant load, new
 * pages are added before the thread has copied the last ones. Without this limit, SQLite would
 * append to the log forever.
 */
const LONG_LOG_PAGES = 16_384
/**
 * Number of pages from which SQLite runs a checkpoint during a commit, in case the thread cannot.
 */
const FALLBACK_PAGES = 4 * LONG_LOG_PAGES

/**
 * Syncs the commits of a connection with `synchronous = NORMAL`, and copies its write-ahead log
 * into the state file.
 */
export interface Checkpoints {
  /** Call it after each commit. The commit is synced and copied within about a second. */
  schedule(): void
  /** Ends the thread. Call it before the connections are closed. */
  close(): Promise<void>
}

/**
 * Runs checkpoints in a worker thread with its own connection, because a sync blocks a thread for
 * milliseconds. The thread starts with the first commit.
 *
 * @param db the connection that commits; if the log is long, it also copies the last pages
 * @param onFailure receives failures, for example a full disk; the next commit tries again
 */
export function createCheckpoints(db: Database, onFailure: (error: unknown) => void): Checkpoints {
  let timer: NodeJS.Timeout | undefined
  let thread: { readonly worker: Worker; readonly exited: Promise<void> } | undefined
  let state: 'idle' | 'scheduled' | 'running' | 'closed' = 'idle'
  /** True if a commit arrived during a checkpoint. The checkpoint may not contain this commit. */
  let committedMeanwhile = false
  const schedule = (): void => {
    if (state === 'running') committedMeanwhile = true
    if (state !== 'idle') return
    state = 'scheduled'
    timer = setTimeout(run, INTERVAL_MS).unref()
  }
  /**
   * Copies the pages that were added after the thread's copy. This connection makes all commits,
   * and none during this call, so the copy is complete. The next commit then overwrites the log
   * from its start.
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
    // Keep a reference to the thread. Otherwise the process could end before the connections are
    // closed.
    worker.ref()
    worker.postMessage('close')
    await exited
  }
  let closing: Promise<void> | undefined
  db.pragma(`wal_autocheckpoint = ${FALLBACK_PAGES}`)
  return {
    schedule,
    close: () => (closing ??= close()),
  }
}

/** @param onEnd called if the thread ends by itself, with the reason */
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
 * Copies the write-ahead log into the state file and syncs it.
 *
 * @returns false if it was not copied completely
 */
export function checkpoint(db: Database): boolean {
  const [row] = db.pragma('wal_checkpoint(PASSIVE)') as readonly {
    readonly busy: number
    readonly log: number
    readonly checkpointed: number
  }[]
  return row!.busy === 0 && row!.log === row!.checkpointed
}
