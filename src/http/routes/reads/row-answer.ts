import { z } from 'zod'
import type { Column, ColumnType, Dataset } from '../../../../catalog/index.ts'

const CELL: Readonly<Record<ColumnType, () => z.ZodType>> = {
  text: () => z.string(),
  date: () => z.iso.date(),
  timestamp: () => z.iso.datetime({ offset: true }),
  number: () => z.number(),
  integer: () => z.int(),
  boolean: () => z.boolean(),
  json: () => z.unknown(),
}

/** One row of a dataset as it is sent. Every column may be left out by `columns`; only nullable ones are ever null. */
export function rowSchema({ columns, id, title, example }: Dataset): z.ZodType {
  const shape = Object.entries(columns).map(([name, column]) => [name, cellSchema(column).optional()] as const)
  return z
    .object(Object.fromEntries(shape))
    .meta({ id: `${id.replaceAll('-', '_')}_row`, description: `One row of ${title}.`, examples: example.slice(0, 1) })
}

function cellSchema({ type, nullable, unit, doc, zh }: Column): z.ZodType {
  const cell = CELL[type]()
  const description = `${zh}. ${doc}${unit ? ` Unit: ${unit}.` : ''}`
  return (nullable && type !== 'json' ? cell.nullable() : cell).meta({ description })
}
