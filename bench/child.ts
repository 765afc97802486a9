import { fork } from 'node:child_process'
import serviceFlags from '../src/service-flags.json' with { type: 'json' }

/** A separate process, whose memory and event loop do not affect the benchmark. */
export interface Child {
  ask<T>(question: string, ...values: unknown[]): Promise<T>
  stop(): Promise<void>
}

interface Question {
  readonly id: number
  readonly question: string
  readonly values: readonly unknown[]
}

interface Reply {
  readonly id: number
  readonly value?: unknown
  readonly error?: string
}

interface Asked {
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
}

/** @param file name of a file in this folder that calls `answer` */
export function startChild(file: string): Child {
  const execArgv = file === 'server.ts' ? [...process.execArgv, ...serviceFlags] : process.execArgv
  const child = fork(new URL(file, import.meta.url), { execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const asked = new Map<number, Asked>()
  const gone = new Promise<void>(resolve => child.once('exit', () => resolve()))
  child.on('message', ({ id, value, error }: Reply) => {
    const { resolve, reject } = asked.get(id)!
    asked.delete(id)
    if (error === undefined) resolve(value as never)
    else reject(new Error(`${file}: ${error}`))
  })
  child.once('exit', code => {
    for (const { reject } of asked.values()) reject(new Error(`${file} ended with code ${code}`))
  })
  let next = 0
  return {
    ask: (question, ...values) =>
      new Promise((resolve, reject) => {
        const id = next++
        asked.set(id, { resolve, reject })
        child.send({ id, question, values } satisfies Question, error => {
          if (!error) return
          asked.delete(id)
          reject(error)
        })
      }),
    async stop() {
      if (child.connected) child.disconnect()
      await gone
    },
  }
}

export function answer(answers: Readonly<Record<string, (...values: never[]) => unknown>>): void {
  process.once('disconnect', () => process.exit())
  process.on('message', async ({ id, question, values }: Question) => {
    try {
      process.send!({ id, value: await answers[question]!(...(values as never[])) } satisfies Reply)
    } catch (error) {
      process.send!({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) } satisfies Reply)
    }
  })
}
