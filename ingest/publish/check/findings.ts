import type { Dataset, Severity } from '../../../catalog/index.ts'
import { acceptableRules, type Batch, type BatchFault } from './batch.ts'

export interface Finding extends BatchFault {
  /** Name of the faulty source. Null if the whole batch is at fault. */
  readonly file: string | null
  /** `error` and `acceptable` refuse the batch. A `warning` is only reported. */
  readonly severity: Severity
  /** Value of `--accept`. Null if the finding cannot be accepted. */
  readonly accept: string | null
}

/** @param names names of the batch's sources, by index */
export const faultFinding = (dataset: Dataset, names: readonly string[], fault: BatchFault): Finding => {
  const waiver = fault.rule === 'derived_differs' ? 'derived_as_given' : fault.rule
  const accept = acceptableRules([dataset]).includes(waiver) ? waiver : null
  return { ...fault, file: fileOf(names, fault), severity: accept === null ? 'error' : 'acceptable', accept }
}

export interface Faulty {
  readonly faults: readonly BatchFault[]
  readonly notices: readonly BatchFault[]
}

export function findingsOf({ dataset, sources }: Batch, { faults, notices }: Faulty) {
  const names = sources.map(({ name }) => name)
  return { faults: faults.map(fault => faultFinding(dataset, names, fault)), notices: notices.map(notice => noticeFinding(names, notice)) }
}

const noticeFinding = (names: readonly string[], notice: BatchFault): Finding => ({
  ...notice,
  file: fileOf(names, notice),
  severity: 'warning',
  accept: null,
})

const fileOf = (names: readonly string[], { source }: BatchFault): string | null => (source === null ? null : (names[source] ?? null))

/**
 * Formats a finding: the message, then one line per sample row.
 *
 * @param several true to name the file
 */
export function findingLines({ rule, column, count, file, message, samples }: Finding, several: boolean): readonly string[] {
  const where = `${column === null ? '' : ` (${column})`}${several && file !== null ? ` in ${file}` : ''}`
  const more = typeof samples[0] === 'object' && count > samples.length ? [`and ${count - samples.length} more`] : []
  return [`${rule}${where}, ${count}×: ${message}`, ...samples.map(sampleText), ...more]
}

function sampleText(sample: unknown): string {
  if (typeof sample !== 'object' || sample === null || Array.isArray(sample)) return String(sample)
  const { row, ...cells } = sample as Readonly<Record<string, unknown>>
  const text = Object.entries(cells).map(([name, value]) => `${name} ${value === null ? 'absent' : String(value)}`)
  return `${row === undefined ? '' : `row ${row}: `}${text.join(', ')}`
}
