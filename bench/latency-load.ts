import { answer } from './child.ts'
import { openReader, type Reader } from './reader.ts'

/** Open loop: requests are sent on schedule, even if earlier requests are not answered. */
export interface ScheduleOrder {
  readonly url: string
  readonly paths: readonly string[]
  /** Empty if the server requires no key. */
  readonly keys: readonly string[]
  readonly connections: number
  /** Milliseconds between requests, over all connections. Must be whole. */
  readonly everyMs: number
  readonly seconds: number
}

interface Scheduled {
  readonly reader: Reader
  readonly due: number[]
  busy: boolean
}

/** In milliseconds. Timers use whole milliseconds, so a timer may fire early by this much. */
const EARLY_MS = 0.5

answer({
  /** @returns milliseconds from the scheduled time to the last byte, per request */
  async run({ url, paths, keys, connections, everyMs, seconds }: ScheduleOrder): Promise<readonly number[]> {
    const scheduled = Array.from(
      { length: connections },
      (): Scheduled => ({
        reader: openReader({ url, keys }, path => path),
        due: [],
        busy: false,
      }),
    )
    await Promise.all(scheduled.map(({ reader }) => reader.read(paths[0]!)))
    const latencies: number[] = []
    const count = Math.floor((seconds * 1_000) / everyMs)
    let sent = 0
    await new Promise<void>((resolve, reject) => {
      const sendNext = (connection: Scheduled): void => {
        const due = connection.busy ? undefined : connection.due.shift()
        if (due === undefined) return
        connection.busy = true
        const began = Math.min(due, performance.now())
        connection.reader.read(paths[sent++ % paths.length]!).then(() => {
          latencies.push(performance.now() - began)
          connection.busy = false
          if (latencies.length === count) resolve()
          else sendNext(connection)
        }, reject)
      }
      let begun: number | undefined
      let planned = 0
      const timer = setInterval(() => {
        const now = performance.now()
        begun ??= now
        for (; planned < count && begun + planned * everyMs <= now + EARLY_MS; planned++) {
          const connection = scheduled[planned % connections]!
          connection.due.push(begun + planned * everyMs)
          sendNext(connection)
        }
        if (planned === count) clearInterval(timer)
      }, 1)
    })
    for (const { reader } of scheduled) reader.close()
    return latencies
  },
})
