import { type Counts, createCounts } from './counts.ts'
import { openMetricsPort } from './port.ts'
import { watchProcess } from './process.ts'
import { type MetricSources, readings } from './readings.ts'
import { textOf } from './text.ts'

export type { MetricSources } from './readings.ts'

/** The figures of a service, and the port they are told on. */
export interface Metrics {
  /** For the rooms that count. */
  readonly counts: Counts
  /**
   * Opens the port, on the loopback interface alone.
   *
   * @param port 0 for any free one
   * @returns the address of the metrics, for example `http://127.0.0.1:9464/metrics`
   * @throws Error with one sentence when the port is taken or not allowed
   */
  listen(port: number, sources: MetricSources): Promise<string>
  close(): Promise<void>
}

/** Counts from here on; no port is open before `listen`. */
export function openMetrics(): Metrics {
  const counts = createCounts()
  const watched = watchProcess()
  let closePort = async (): Promise<void> => {}
  return {
    counts,
    async listen(port, sources) {
      const opened = await openMetricsPort(port, async form =>
        textOf({ ...watched.samples(), ...counts.samples(), ...(await readings(sources)) }, form),
      )
      closePort = opened.close
      return opened.url
    },
    async close() {
      watched.close()
      await closePort()
    },
  }
}
