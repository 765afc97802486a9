import type { Command } from 'commander'
import { type Dataset, loadCatalog } from '../../catalog/index.ts'
import { bringCalendar } from '../../ingest/calendar/index.ts'
import { type Published, publishFiles, type QuarantineChange } from '../../ingest/index.ts'
import { ACCEPTABLE, acceptableRules, type DatasetOutcome, findingLines } from '../../ingest/publish/index.ts'
import { type MappingOptions, mappingOf, withMappingOptions } from './mapping-options.ts'
import { namedFiles } from './named-files.ts'
import { EXIT, printJson } from './terminal.ts'
import { datasetNamed, withWorkspace } from './workspace.ts'

/** `twmd publish <dataset> <file…>`: partition files, checked, released or refused as one. */
export function publishCommand(program: Command, setExitCode: (code: number) => void): void {
  const command = program
    .command('publish')
    .description('check partition files of one dataset and publish them as a release')
    .argument('<dataset>', 'slug, for example bond-yield-curve')
    .argument('<file...>', '.csv, .ndjson, .json or .parquet, with .gz or .zst where packed; columns named as in the schema or mapped')
  withMappingOptions(command)
    .option('--accept <rule...>', `let a rule pass: ${ACCEPTABLE.join(', ')}`, [])
    .option('--json', 'print one JSON document')
    .action(async (name: string, paths: string[], options: MappingOptions & { accept: string[]; json?: true }) => {
      const dataset = datasetNamed({ catalog: await loadCatalog() }, name)
      const unknown = unknownRules(options.accept, [dataset])
      if (unknown.length > 0) throw new Error(unknown.join('\n'))
      const files = namedFiles(paths)
      const mapping = mappingOf(dataset, options)
      const published = await withWorkspace(async workspace => {
        await bringCalendar(workspace)
        return publishFiles(workspace, dataset, files, { accept: options.accept, synthetic: false, mapping })
      })
      const { followUps, rowsBySource, moved: _, refused: __, ...rest } = published
      if ([published, ...followUps.map(({ outcome }) => outcome)].some(({ status }) => status === 'refused')) setExitCode(EXIT.refused)
      if (options.json)
        return printJson({ ...rest, rowsBySource: Object.fromEntries(rowsBySource), followUps: followUps.map(publicationJson) })
      report(name, published, files.length > 1)
      for (const followUp of followUps) printPublication(followUp)
    })
}

/** A message for every rule that does not exist or may not be let pass, of these datasets. */
export const unknownRules = (accept: readonly string[], datasets: readonly Dataset[]): readonly string[] => {
  const acceptable = acceptableRules(datasets)
  return accept.filter(rule => !acceptable.includes(rule)).map(rule => `--accept ${rule}: only ${acceptable.join(', ')} may be let pass.`)
}

/** Prints what is wrong, the first rows at fault under each rule, on the error stream. */
export function printFindings({ faults, notices }: Pick<Published, 'faults' | 'notices'>, several: boolean): void {
  for (const [word, findings] of [
    ['warning', notices],
    ['refused', faults],
  ] as const)
    for (const [first, ...samples] of findings.map(finding => findingLines(finding, several))) {
      console.error(`${word}  ${first}`)
      for (const sample of samples) console.error(`           ${sample}`)
    }
}

function report(name: string, published: Published, several: boolean): void {
  const { status, release, changes, quarantined, quarantine, rowsConfirmed, samplesReplaced } = published
  printFindings(published, several)
  for (const folder of quarantined) console.error(`         ${keptText(folder, quarantine)}`)
  printLeft(quarantine)
  if (status === 'refused') return console.error(`${name}: refused, nothing was published.`)
  if (status === 'unchanged') return console.log(`${name}: every row is served already by ${release}; nothing to publish.`)
  const { rows_added, rows_changed, rows_removed, date_from, date_to } = changes!
  const days = date_from === null ? '' : `, ${date_from} to ${date_to}`
  console.log(
    `${name}: published ${release}: ${rows_added} rows added, ${rows_changed} changed, ${rows_removed} removed${days}${confirmedText(rowsConfirmed)}${samplesText(samplesReplaced)}.`,
  )
}

/** Where a refused file is kept, or why it is not. */
export function keptText(folder: string, { left, reportOnly }: QuarantineChange): string {
  if (left.includes(folder)) return `no longer kept: files refused after it took its room`
  if (!reportOnly.includes(folder)) return `kept with its report in ${folder}`
  return `left where it is, being larger than the quarantine may be (QUARANTINE_MAX_MB); its report is in ${folder}`
}

/** Names what the quarantine let go, so that nothing vanishes in silence. */
export function printLeft({ left }: QuarantineChange): void {
  for (const folder of left) console.error(`removed from quarantine, being the oldest beyond its bounds: ${folder}`)
}

/** A publication as `--json` prints it. */
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

/** Prints a publication on one line; a refusal goes to the error stream. */
export function printPublication({
  dataset,
  outcome: { status, release, changes, faults, notices, rowsConfirmed, samplesReplaced },
}: DatasetOutcome): void {
  for (const { message } of notices) console.error(`warning   ${dataset}: ${message}`)
  if (status === 'refused') return console.error(`refused   ${dataset}: ${faults.map(({ message }) => message).join(' ')}`)
  const { rows_added, rows_changed, rows_removed } = changes!
  console.log(
    `${status.padEnd(9)} ${dataset}: ${rows_added} rows added, ${rows_changed} changed, ${rows_removed} removed${confirmedText(rowsConfirmed)}${samplesText(samplesReplaced)}${release ? ` (${release})` : ''}`,
  )
}

/** Text to add to the counts where rows name another source than before; empty otherwise. */
const confirmedText = (confirmed: number): string => (confirmed > 0 ? `; ${confirmed} confirmed by another source` : '')

/** Text to add to the counts when real rows replaced samples; empty otherwise. */
export const samplesText = (replaced: number): string => (replaced > 0 ? `; ${replaced} sample rows are no longer served` : '')
