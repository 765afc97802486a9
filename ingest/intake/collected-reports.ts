import type { Quarantine, QuarantineReport } from './quarantine.ts'

type Fault = QuarantineReport['faults'][number]

/**
 * Creates a quarantine that stores no files and only collects their faults. Use it for files that
 * will be retried, or that are already in quarantine.
 */
export function collectReports() {
  const faults = new Map<string, readonly Fault[]>()
  const quarantine: Quarantine = {
    keep(path, _, report) {
      faults.set(path, [...(faults.get(path) ?? []), ...report.faults])
      return ''
    },
    close: () => ({ left: [], reportOnly: [] }),
  }
  return { quarantine, of: (path: string) => faults.get(path) }
}
