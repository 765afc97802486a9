import type { Command } from 'commander'
import { type Dataset, loadCatalog } from '../../../catalog/index.ts'
import type { Mapping } from '../../../ingest/mappings/index.ts'
import { ACCEPTABLE, acceptableRules } from '../../../ingest/publish/index.ts'
import { datasetNamed } from '../workspace.ts'
import { type MappingOptions, mappingOf, withMappingOptions } from './mapping-options.ts'
import { namedFiles } from './named-files.ts'

/** Validated arguments of a command for files with rows of one dataset. */
export interface PartitionWork {
  readonly name: string
  readonly dataset: Dataset
  readonly files: readonly string[]
  readonly mapping: Mapping | undefined
  readonly accept: readonly string[]
  readonly json: boolean
}

/**
 * Adds a command for files with rows of one dataset. A computed dataset needs no files.
 * @param run called with valid arguments only
 */
export function partitionCommand(program: Command, name: string, description: string, run: (work: PartitionWork) => Promise<void>): void {
  const command = program
    .command(name)
    .description(description)
    .argument('<dataset>', 'slug, such as bond-yield-curve')
    .argument('[file...]', '.csv, .tsv, .ndjson, .json or .parquet, optionally .gz or .zst; columns as in the schema or mapped')
  withMappingOptions(command)
    .option('--accept <rule...>', `accept violations of a rule: ${ACCEPTABLE.join(', ')}`, [])
    .option('--json', 'print one JSON document')
    .action(async (slug: string, paths: string[], options: MappingOptions & { accept: string[]; json?: true }) => {
      const dataset = datasetNamed({ catalog: await loadCatalog() }, slug)
      const unknown = unknownRules(options.accept, [dataset])
      if (unknown.length > 0) throw new Error(unknown.join('\n'))
      if (paths.length === 0 && !dataset.from)
        command.error("error: missing required argument 'file'", { code: 'commander.missingArgument' })
      const given = { files: namedFiles(paths), mapping: mappingOf(dataset, options) }
      await run({ name: slug, dataset, ...given, accept: options.accept, json: options.json === true })
    })
}

/** Returns one message per rule that does not exist or cannot be accepted. */
export const unknownRules = (accept: readonly string[], datasets: readonly Dataset[]): readonly string[] => {
  const acceptable = acceptableRules(datasets)
  return accept.filter(rule => !acceptable.includes(rule)).map(rule => `--accept ${rule}: only ${acceptable.join(', ')} can be accepted.`)
}
