import type { Quarantine, QuarantineReport } from './quarantine.ts'

type Fault = QuarantineReport['faults'][number]

/** A quarantine that keeps nothing but the faults it is told of, one list a file: some files are tried again before they are put away, others are there already. */
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
