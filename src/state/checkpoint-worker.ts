import { closeSync, fsyncSync, openSync } from 'node:fs'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'

/** Length of the write-ahead log in pages of 4 KB, or the error that occurred. */
export type CheckpointResult = { readonly pages: number } | { readonly code: string; readonly message: string }

export interface CheckpointSettings {
  readonly path: string
  /**
   * Minimum length of the log for a second pass, in pages. The second pass copies the pages that
   * were added during the first pass.
   */
  readonly longLogPages: number
}

serve(parentPort!, workerData)

function serve(port: MessagePort, { path, longLogPages }: CheckpointSettings): void {
  const db = new Sqlite(path)
  const pass = (): number => {
    // A long read by another process can prevent the checkpoint. SQLite then does not sync the log,
    // so it is synced here.
    syncFile(`${path}-wal`)
    const [result] = db.pragma('wal_checkpoint(PASSIVE)') as [{ readonly log: number }]
    return result.log
  }
  const checkpoint = (): CheckpointResult => {
    try {
      const pages = pass()
      return { pages: pages > longLogPages ? pass() : pages }
    } catch (error) {
      const { code = 'unknown', message } = error as NodeJS.ErrnoException
      return { code, message }
    }
  }
  port.on('message', (message: 'checkpoint' | 'close') => {
    if (message === 'checkpoint') return port.postMessage(checkpoint())
    db.close()
    port.close()
  })
}

function syncFile(file: string): void {
  const descriptor = openSync(file, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
