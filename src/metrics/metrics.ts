import { type Counts, createCounts } from './counts.ts'
import { type MetricSources, readGauges } from './gauges.ts'
import { openMetricsPort } from './port.ts'
import { watchProcess } from './process.ts'
import { metricsText } from './text.ts'

export type { MetricSources } from './gauges.ts'

export interface Metrics {
  readonly counts: Counts
  /**
   * Opens the port on the loopback interface.
   *
   * @param port 0 for any free port
   * @returns the URL, for example `http://127.0.0.1:9464/metrics`
   * @throws Error with a one-sentence message if the port is in use or not allowed
   */
  listen(port: number, sources: MetricSources): Promise<string>
  close(): Promise<void>
}

export function openMetrics(): Metrics {
  const counts = createCounts()
  const processMetrics = watchProcess()
  let closePort = async (): Promise<void> => {}
  return {
    counts,
    async listen(port, sources) {
      const opened = await openMetricsPort(port, async form =>
        metricsText({ ...processMetrics.samples(), ...counts.samples(), ...(await readGauges(sources)) }, form),
      )
      closePort = opened.close
      return opened.url
    },
    async close() {
      processMetrics.close()
      await closePort()
    },
  }
}
