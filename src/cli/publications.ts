import type { FollowUp } from '../../ingest/derive/index.ts'

/** What one publication came to, for programs. */
export const publicationJson = ({ dataset, outcome: { status, release, changes, faults, samplesReplaced } }: FollowUp) => ({
  dataset,
  status,
  release,
  changes,
  faults,
  samplesReplaced,
})

/** What one publication came to, on one line; a refusal goes to the error stream. */
export function printPublication({ dataset, outcome: { status, release, changes, faults, samplesReplaced } }: FollowUp): void {
  if (status === 'refused') return console.error(`refused   ${dataset}: ${faults.map(({ message }) => message).join(' ')}`)
  const { rows_added, rows_changed, rows_removed } = changes!
  console.log(
    `${status.padEnd(9)} ${dataset}: ${rows_added} rows added, ${rows_changed} changed, ${rows_removed} removed${samplesText(samplesReplaced)}${release ? ` (${release})` : ''}`,
  )
}

/** What to add to the counts where real rows took the place of samples; nothing where they did not. */
export const samplesText = (replaced: number): string => (replaced > 0 ? `; ${replaced} sample rows are no longer served` : '')
