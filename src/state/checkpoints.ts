import { Worker } from 'node:worker_threads'
import type { CheckpointResult, CheckpointSettings } from './checkpoint-worker.ts'
import type { Database } from './db.ts'

/** Time from a commit until it is synced, in ms. A power cut can lose the commits of this time. */
const INTERVAL_MS = 1_000
/**
 * Number of pages (4 KB each) above which the write-ahead log is written again from its start.
 * Under constant load, pages are added faster than the thread copies the last ones. Without this
 * limit, SQLite would append to the log forever.
 */
const LONG_LOG_PAGES = 16_384
/**
 * Number of pages at which SQLite itself runs a checkpoint during a commit. This is needed if the
 * thread fails.
 */
const FALLBACK_PAGES = 4 * LONG_LOG_PAGES

/**
 * Syncs the commits of a connection that has `synchronous = NORMAL`, and copies the write-ahead log
 * to the state file.
 */
export interface Checkpoints {
  /** Must be called after each commit. Within about a second, the commit is synced and copied. */
  schedule(): void
  /** Ends the thread. Must be called before the connections are closed. */
  close(): Promise<void>
}

/**
 * Runs checkpoints in a worker thread with its own connection, because a sync blocks a thread for
 * several ms. The thread is started after the first commit.
 *
 * @param db connection that commits; it copies the last pages if the log is long
 * @param onFailure called with errors, for example if the disk is full; the next commit tries again
 */
export function createCheckpoints(db: Database, onFailure: (error: unknown) => void): Checkpoints {
  let timer: NodeJS.Timeout | undefined
  let thread: { readonly worker: Worker; readonly exited: Promise<void> } | undefined
  let state: 'idle' | 'scheduled' | 'running' | 'closed' = 'idle'
  /** True if there was a commit during a checkpoint. The checkpoint may not include that commit. */
  let committedMeanwhile = false
  const schedule = (): void => {
    if (state === 'running') committedMeanwhile = true
    if (state !== 'idle') return
    state = 'scheduled'
    timer = setTimeout(run, INTERVAL_MS).unref()
  }
  /**
   * Copies the pages that were added after the thread's copy. Only this connection commits, and it
   * does not commit during this call, so the copy is complete. The next commit then writes at the
   * start of the log.
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
    // Hold a reference to the thread, so that the process does not end before the connections are
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
 * Copies the write-ahead log to the state file and syncs the file.
 *
 * @returns false if the copy is not complete
 */
export function checkpoint(db: Database): boolean {
  const [row] = db.pragma('wal_checkpoint(PASSIVE)') as readonly {
    readonly busy: number
    readonly log: number
    readonly checkpointed: number
  }[]
  return row!.busy === 0 && row!.log === row!.checkpointed
}
