import type { Command } from 'commander'
import type { Dataset } from '../../../catalog/index.ts'
import { type Mapping, mappingFrom, readMapping, UNITS } from '../../../ingest/mappings/index.ts'
import { configured } from '../workspace.ts'

export interface MappingOptions {
  readonly map: readonly string[]
  readonly set: readonly string[]
  readonly ignore: readonly string[]
  readonly mapping?: string
}

const several = (value: string, former: readonly string[]): readonly string[] => [...former, value]

export const withMappingOptions = (command: Command): Command =>
  command
    .option('--map <pairs>', "file column=dataset column, such as 'date=trade_date,vol=volume:lots->shares'", several, [])
    .option('--set <pairs>', "values of columns missing in the file, such as 'market=TWSE'", several, [])
    .option('--ignore <columns>', 'file columns to ignore', several, [])
    .option('--mapping <name>', 'a stored mapping, by name or path')
    .addHelpText('after', `\nWrite conversions after a colon, and join several with +. Conversions: ${UNITS.join(', ')}`)

/** Undefined without mapping options. @throws Error that names each mistake */
export function mappingOf(dataset: Dataset, { mapping, ...words }: MappingOptions): Mapping | undefined {
  const kept = mapping === undefined ? undefined : readMapping(mapping, dataset, configured().dataDir)
  return mappingFrom(words, dataset, kept)
}
