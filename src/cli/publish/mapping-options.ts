import type { Command } from 'commander'
import type { Dataset } from '../../../catalog/index.ts'
import { type Mapping, mappingFrom, readMapping, UNITS } from '../../../ingest/mappings/index.ts'
import { configured } from '../workspace.ts'

/** What a command says of columns that have other names than ours. */
export interface MappingOptions {
  readonly map: readonly string[]
  readonly set: readonly string[]
  readonly ignore: readonly string[]
  readonly mapping?: string
}

const several = (value: string, former: readonly string[]): readonly string[] => [...former, value]

/** Adds the options that map a file's columns to ours. */
export const withMappingOptions = (command: Command): Command =>
  command
    .option('--map <pairs>', "file column=dataset column, such as 'date=trade_date,vol=volume:lots->shares'", several, [])
    .option('--set <pairs>', "values of columns missing in the file, such as 'market=TWSE'", several, [])
    .option('--ignore <columns>', 'file columns to ignore', several, [])
    .option('--mapping <name>', 'a stored mapping, by name or path')
    .addHelpText('after', `\nConversions after a colon, joined by +: ${UNITS.join(', ')}`)

/** The mapping that options state; undefined where they state none. @throws Error saying what is wrong with it */
export function mappingOf(dataset: Dataset, { mapping, ...words }: MappingOptions): Mapping | undefined {
  const kept = mapping === undefined ? undefined : readMapping(mapping, dataset, configured().dataDir)
  return mappingFrom(words, dataset, kept)
}
