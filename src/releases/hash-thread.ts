import { Worker } from 'node:worker_threads'
import type { HashResult } from './hash-worker.ts'

/** Hashes one file after another in a worker thread. */
export interface HashThread {
  /** Returns the sha256 in hexadecimal. @throws errors of reading the file */
  readonly hash: (file: string) => Promise<string>
  close(): void
}

interface HashJob {
  readonly file: string
  readonly resolve: (sha256: string | Promise<string>) => void
  readonly reject: (error: Error) => void
}

/** @param fallback function that hashes the files if the thread cannot start, or ends early */
export function openHashThread(fallback: (file: string) => Promise<string>): HashThread {
  const queue: HashJob[] = []
  const thread = new Worker(new URL('./hash-worker.ts', import.meta.url), { execArgv: [] })
  let hasEnded = false
  const giveUp = (): void => {
    hasEnded = true
    // Hashes one file at a time, so that few files are open.
    const rest = queue.splice(0)
    const next = (): void => {
      const job = rest.shift()
      if (!job) return
      const hashed = fallback(job.file)
      job.resolve(hashed)
      hashed.then(next, next)
    }
    next()
  }
  thread.on('message', (result: HashResult) => {
    const { resolve, reject } = queue.shift()!
    if ('sha256' in result) resolve(result.sha256)
    else reject(Object.assign(new Error(result.message), { code: result.code }))
  })
  thread.on('error', giveUp)
  thread.on('exit', giveUp)
  return {
    hash: file =>
      new Promise((resolve, reject) => {
        if (hasEnded) return resolve(fallback(file))
        queue.push({ file, resolve, reject })
        thread.postMessage(file)
      }),
    close: () => void thread.terminate(),
  }
}
