import { Worker } from 'node:worker_threads'
import type { Found } from './hashing.ts'

/** Files that are hashed one after another in a thread of their own, whatever the thread that asks is busy with. */
export interface HashThread {
  /** sha256 of a file, as hex. @throws what reading it throws */
  readonly hash: (file: string) => Promise<string>
  /** Ends the thread. */
  close(): void
}

interface Asked {
  readonly file: string
  readonly resolve: (sha256: string | Promise<string>) => void
  readonly reject: (error: Error) => void
}

/** @param instead hashes the files that a thread leaves which could not start, or ended */
export function openHashThread(instead: (file: string) => Promise<string>): HashThread {
  const asked: Asked[] = []
  const thread = new Worker(new URL('./hashing.ts', import.meta.url), { execArgv: [] })
  let isOver = false
  const giveUp = (): void => {
    isOver = true
    // One after another: each holds an open file.
    const rest = asked.splice(0)
    const next = (): void => {
      const one = rest.shift()
      if (!one) return
      const hashed = instead(one.file)
      one.resolve(hashed)
      hashed.then(next, next)
    }
    next()
  }
  thread.on('message', (found: Found) => {
    const { resolve, reject } = asked.shift()!
    if ('sha256' in found) resolve(found.sha256)
    else reject(Object.assign(new Error(found.message), { code: found.code }))
  })
  thread.on('error', giveUp)
  thread.on('exit', giveUp)
  return {
    hash: file =>
      new Promise((resolve, reject) => {
        if (isOver) return resolve(instead(file))
        asked.push({ file, resolve, reject })
        thread.postMessage(file)
      }),
    close: () => void thread.terminate(),
  }
}
