import { readdirSync, readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Sample, Samples } from './text.ts'

const RESOLUTION_MS = 20
const NS = 1_000_000_000
const QUANTILES = [0.5, 0.99, 1] as const

export function watchProcess() {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  const startedAt = Date.now() / 1_000 - process.uptime()
  const delays = (): readonly Sample[] => {
    // Subtracts the sampling interval, which the histogram includes.
    const quantiles = QUANTILES.map(q => [Math.max(0, delay.percentile(q * 100) / NS - RESOLUTION_MS / 1_000), String(q)] as const)
    const hasSamples = delay.count > 0
    delay.reset()
    return hasSamples ? quantiles : QUANTILES.map(q => [0, String(q)] as const)
  }
  return {
    samples(): Samples {
      const { user, system } = process.cpuUsage()
      const { rss, heapUsed, heapTotal, external } = process.memoryUsage()
      return {
        process_start_time_seconds: [[startedAt]],
        process_cpu_seconds_total: [[(user + system) / 1_000_000]],
        process_resident_memory_bytes: [[rss]],
        ...descriptors(),
        twmd_heap_used_bytes: [[heapUsed]],
        twmd_heap_total_bytes: [[heapTotal]],
        twmd_external_bytes: [[external]],
        twmd_event_loop_delay_seconds: delays(),
        twmd_event_loop_active_seconds_total: [[performance.eventLoopUtilization().active / 1_000]],
      }
    },
    close: (): void => void delay.disable(),
  }
}

/** Empty if the system does not report the numbers. */
function descriptors(): Samples {
  try {
    const maxFds = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return { process_open_fds: [[readdirSync('/proc/self/fd').length]], ...(maxFds && { process_max_fds: [[Number(maxFds)]] }) }
  } catch {
    return {}
  }
}
