import { closeSync, fsyncSync, openSync } from 'node:fs'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'

export type CheckpointResult = { readonly pages: number } | { readonly code: string; readonly message: string }

export interface CheckpointSettings {
  readonly path: string
  /** Number of pages (4 KB) above which the log is copied a second time. */
  readonly longLogPages: number
}

serve(parentPort!, workerData)

function serve(port: MessagePort, { path, longLogPages }: CheckpointSettings): void {
  const db = new Sqlite(path)
  const pass = (): number => {
    // SQLite does not sync the log during a long read by another process.
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
