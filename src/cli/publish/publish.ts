import type { Command } from 'commander'
import type { Dataset } from '../../../catalog/index.ts'
import { bringCalendar } from '../../../ingest/calendar/index.ts'
import { publishComputed } from '../../../ingest/derive/index.ts'
import { type Published, publishFiles, type QuarantineChange } from '../../../ingest/index.ts'
import { calendarOf } from '../../../ingest/intake/index.ts'
import { type DatasetOutcome, findingLines } from '../../../ingest/publish/index.ts'
import { EXIT, print, printJson, say } from '../terminal.ts'
import { withWorkspace } from '../workspace.ts'
import { partitionCommand } from './partition-command.ts'

/** Publishes all files or none. Without files, computes a dataset declared in SQL. */
export function publishCommand(program: Command, setExitCode: (code: number) => void): void {
  const description = 'check files of one dataset and publish them as a release'
  partitionCommand(program, 'publish', description, async ({ name, dataset, files, mapping, accept, json }) => {
    if (files.length === 0) return setExitCode(await publishComputedNow(dataset, json))
    const published = await withWorkspace(async workspace => {
      await bringCalendar(workspace)
      return publishFiles(workspace, dataset, files, { accept, synthetic: false, mapping })
    })
    const { followUps, rowsBySource, moved: _moved, refused: _refused, ...rest } = published
    if ([published, ...followUps.map(({ outcome }) => outcome)].some(({ status }) => status === 'refused')) setExitCode(EXIT.refused)
    if (json) return printJson({ ...rest, rowsBySource: Object.fromEntries(rowsBySource), followUps: followUps.map(publicationJson) })
    report(name, published, files.length > 1)
    for (const followUp of followUps) printPublication(followUp)
  })
}

/** Publishes a computed dataset. Also computes all datasets that depend on this dataset. */
async function publishComputedNow({ slug }: Dataset, json: boolean): Promise<number> {
  const publications = await withWorkspace(async workspace => {
    await bringCalendar(workspace)
    return publishComputed(workspace, await calendarOf(workspace), [], [slug])
  })
  if (json) printJson({ publications: publications.map(publicationJson) })
  else if (publications.length === 0) print(`${slug}: up to date with its inputs, or an input has no release; nothing to publish.`)
  else for (const publication of publications) printPublication(publication)
  return publications.some(({ outcome }) => outcome.status === 'refused') ? EXIT.refused : EXIT.done
}

export function printFindings({ faults, notices }: Pick<Published, 'faults' | 'notices'>, several: boolean): void {
  for (const [word, findings] of [
    ['warning', notices],
    ['refused', faults],
  ] as const)
    for (const [first, ...samples] of findings.map(finding => findingLines(finding, several))) {
      say(`${word}  ${first}`)
      for (const sample of samples) say(`           ${sample}`)
    }
}

function report(name: string, published: Published, several: boolean): void {
  const { status, release, changes, quarantined, quarantine, rowsConfirmed, samplesReplaced } = published
  printFindings(published, several)
  for (const folder of quarantined) say(`         ${keptText(folder, quarantine)}`)
  printLeft(quarantine)
  if (status === 'refused') return say(`${name}: refused, nothing was published.`)
  if (status === 'unchanged') return print(`${name}: every row is already served by ${release}; nothing to publish.`)
  const { rows_added, rows_changed, rows_removed, date_from, date_to } = changes!
  const days = date_from === null ? '' : `, ${date_from} to ${date_to}`
  print(
    `${name}: published ${release}: ${rows_added} rows added, ${rows_changed} changed, ${rows_removed} removed${days}${confirmedText(rowsConfirmed)}${samplesText(samplesReplaced)}.`,
  )
}

/** States where a refused file is stored, or why the file is not stored. */
export function keptText(folder: string, { left, reportOnly }: QuarantineChange): string {
  if (left.includes(folder)) return `deleted from the quarantine to make space for later files`
  if (!reportOnly.includes(folder)) return `stored with its report in ${folder}`
  return `not moved, because it is larger than the quarantine (QUARANTINE_MAX_MB); its report is in ${folder}`
}

export function printLeft({ left }: QuarantineChange): void {
  for (const folder of left) say(`deleted from the quarantine, which reached its limit: ${folder}`)
}

export const publicationJson = ({
  dataset,
  outcome: { status, release, changes, faults, notices, rowsConfirmed, samplesReplaced },
}: DatasetOutcome) => ({
  dataset,
  status,
  release,
  changes,
  faults,
  notices,
  rowsConfirmed,
  samplesReplaced,
})

/** A refusal goes to the error stream. */
export function printPublication({
  dataset,
  outcome: { status, release, changes, faults, notices, rowsConfirmed, samplesReplaced },
}: DatasetOutcome): void {
  for (const { message } of notices) say(`warning   ${dataset}: ${message}`)
  if (status === 'refused') return say(`refused   ${dataset}: ${faults.map(({ message }) => message).join(' ')}`)
  const { rows_added, rows_changed, rows_removed } = changes!
  print(
    `${status.padEnd(9)} ${dataset}: ${rows_added} rows added, ${rows_changed} changed, ${rows_removed} removed${confirmedText(rowsConfirmed)}${samplesText(samplesReplaced)}${release ? ` (${release})` : ''}`,
  )
}

const confirmedText = (confirmed: number): string => (confirmed > 0 ? `; ${confirmed} confirmed by another source` : '')

export const samplesText = (replaced: number): string => (replaced > 0 ? `; ${replaced} sample rows are no longer served` : '')
