import { type Command, Option } from 'commander'
import { ENTITY_TYPES } from '../../../catalog/index.ts'
import type { EntityFields, FieldQueryAnswer, FieldValue } from '../../../clients/typescript/src/index.ts'
import { printFitted, say } from '../terminal.ts'
import { answerAt, openService, type ServiceOptions, withQuery, withService } from './connection.ts'
import { FORMATS, type Format, formatOf } from './read.ts'
import { counted, keepAnswer, printAnswer } from './read-bytes.ts'

interface Options extends ServiceOptions {
  readonly entity: string
  readonly fields?: string
  readonly asOf?: string
  readonly format?: Format
  readonly json?: true
  readonly out?: string
}

export function queryCommand(program: Command): void {
  const command = program
    .command('query')
    .description('query fields of companies, brokers, branches, indices or bond tenors')
    .argument('<ids>', 'entity ids, separated by commas, such as 2330,2317')
    .option('--fields <names>', 'fields, separated by commas, such as earnings.eps; default a selection')
    .addOption(new Option('--entity <type>', 'entity type of the ids').choices(ENTITY_TYPES).default('company'))
    .option('--as-of <day>', 'values that were known on that day; default today')
    .addOption(new Option('--format <format>', 'format of the response; default from the name of --out, else table').choices(FORMATS))
    .option('--json', 'print the response unchanged')
    .option('--out <file>', 'write the response to a file')
  withService(command).action(query)
}

async function query(ids: string, { entity, fields, asOf, format, json, out, ...service }: Options): Promise<void> {
  const chosen = formatOf({ ...(format && { format }), ...(json && { json }), ...(out !== undefined && { out }) })
  const remote = await openService(service)
  const asked = { entity_type: entity, entity_ids: ids, fields, as_of_date: asOf, format: chosen === 'table' ? undefined : chosen }
  const target = withQuery('/v2/query', asked)
  if (out !== undefined) return keepAnswer(remote, target, out, false)
  if (chosen !== 'table') return printAnswer(remote, target, false)
  const { body, credits } = await answerAt<FieldQueryAnswer>(remote, target)
  const { data, missing, warnings, as_of_date: day } = body
  const found = data.flatMap(one =>
    valuesOf(one).map(([field, { value, unit, as_of_date, period }]) => [one.entity_id, field, value, unit, period ?? as_of_date]),
  )
  const absent = missing.map(({ entity_id, field, reason }) => [entity_id, field, null, null, reason])
  const [left, right] = ['left', 'right'] as const
  printFitted(
    [
      { head: entity, align: left },
      { head: 'field', align: left },
      { head: 'value', align: right },
      { head: 'unit', align: left },
      { head: 'date, or reason if missing', align: left },
    ],
    [...found, ...absent],
  )
  say(`Values that were known on ${day}. ${counted(credits, 'credit')}.${warnings.length > 0 ? ` Warnings: ${warnings.join(', ')}.` : ''}`)
}

/** Every value has a day and a unit, because the command never sends `minimal_fields`. */
const valuesOf = ({ fields }: EntityFields) => Object.entries(fields as Readonly<Record<string, FieldValue>>)
