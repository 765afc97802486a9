import { answer } from './child.ts'
import { openReader, type Reader } from './reader.ts'

/** An open loop: requests are sent on a schedule, even if earlier ones were not answered. */
export interface ScheduleOrder {
  readonly url: string
  readonly paths: readonly string[]
  /** API keys, used round-robin. Empty if the server needs none. */
  readonly keys: readonly string[]
  readonly connections: number
  /** Interval between the requests of all connections together, in whole milliseconds. */
  readonly everyMs: number
  readonly seconds: number
}

/** A connection, with the scheduled times of its unsent requests. */
interface Scheduled {
  readonly reader: Reader
  readonly due: number[]
  busy: boolean
}

/** Tolerance: timers fire at whole milliseconds, a fraction earlier or later than the schedule. */
const EARLY_MS = 0.5

answer({
  /**
   * Sends one request per interval, on the connections in turn.
   *
   * @returns milliseconds from the scheduled time of each request to its last byte; this includes
   * the time that a request waits for the previous answer
   */
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
