import { z } from 'zod'
import { ENTITIES, ENTITY_TYPES, type EntityType, type Fields, QUERY } from '../../../catalog/index.ts'
import { type Fault, inputRefusal, Refusal } from '../../core/index.ts'
import { MOST_ENTITIES } from '../../field-query/index.ts'
import { createQueryFields, type QueryDeps } from '../../operations/index.ts'
import { readCursor, textOrNull, wholeNumber, writeCursor } from '../cursors.ts'
import { takeFitting } from '../tokens.ts'
import { Cost, costOf, inCredits, requireCaller, type Tool, tool } from '../tool.ts'

const Value = z.object({
  value: z.unknown().meta({ description: 'Value: text, number, boolean or list, never null.' }),
  unit: z.string().nullable(),
  as_of_date: z.string().meta({ description: 'Day of the value.' }),
  period: z.string().nullable().meta({ description: 'Fiscal period. Null if none.' }),
  announced_at: z.string().nullable(),
  dataset: z.string(),
  slug: z.string(),
  source_role: z.string(),
  release_version: z.string(),
})

const Entity = z.object({ entity_id: z.string(), fields: z.record(z.string(), Value) })
const Missing = z.object({ entity_id: z.string(), field: z.string(), reason: z.string() })

const Output = z.object({
  entity_type: z.enum(ENTITY_TYPES),
  as_of_date: z.string().meta({ description: 'Day as of which the values were known.' }),
  total: z.int().meta({ description: 'Number of requested entities.' }),
  returned: z.int().meta({ description: 'Number of entities in this response, including those without values.' }),
  next_cursor: z.string().nullable(),
  entities: z.array(Entity).meta({ description: 'Entities with a value, in the requested order.' }),
  missing: z.array(Missing).meta({ description: 'Fields without a value, with the reason.' }),
  known_gaps: z.array(z.string()),
  warnings: z.array(z.string()).meta({ description: 'Warnings to report with the values.' }),
  ...Cost.shape,
})

type Body = Pick<z.output<typeof Output>, 'as_of_date' | 'missing' | 'known_gaps' | 'warnings'> & {
  readonly data: readonly z.output<typeof Entity>[]
}

const Ids = z.array(z.string().min(1).max(100)).min(1).max(MOST_ENTITIES)

const ONE_LIST: Fault = {
  loc: ['arguments', 'entity_ids'],
  words: { en: 'entity_ids: send one list of ids; entities is its former name', zh: 'entity_ids：請傳送一份代號清單；entities 為其舊名' },
  type: 'missing',
}

export function getFieldsTool(deps: QueryDeps, fields: Fields, isFree: boolean): Tool {
  const queryFields = createQueryFields(deps, fields)
  return tool(
    {
      name: 'get_fields',
      title: 'Read single values as of a day',
      description: `Returns selected fields of up to ${MOST_ENTITIES} companies, brokers, branches, indices or bond tenors: one value each, with its date, unit and release. Values are current, or as known on an earlier day without later revisions. find with type field returns field names (query_field). For histories and tables, call get_rows. Price: ${isFree ? 'none' : `${inCredits(QUERY.access.credits)} per call, regardless of the number of fields`}.`,
      input: z.strictObject({
        entity_type: z.enum(ENTITY_TYPES).meta({ description: ENTITY_TYPES.map(type => `${type}: ${ENTITIES[type].doc}`).join(' ') }),
        entity_ids: Ids.optional().meta({ description: 'Ids, for example ["2330","2317"]. Required.' }),
        entities: Ids.optional().meta({ description: 'Former name of entity_ids.', deprecated: true }),
        fields: z
          .array(z.string().min(1).max(100))
          .min(1)
          .max(100)
          .optional()
          .meta({ description: 'Field names, for example ["earnings.eps"]. Default: all default fields.' }),
        as_of_date: z.iso
          .date()
          .optional()
          .meta({ description: 'Day as of which the values were known, in Taipei time, not in the future. Default: today.' }),
        cursor: z
          .string()
          .max(1_000)
          .optional()
          .meta({ description: 'Cursor: next_cursor of the previous page. Send the same arguments.' }),
      }),
      output: Output,
    },
    async ({ entity_type, entity_ids, entities, fields: fieldNames = [], as_of_date, cursor }, call) => {
      if ((entity_ids === undefined) === (entities === undefined)) throw inputRefusal([ONE_LIST])
      const all = idsOf(entity_type, entity_ids ?? entities!)
      const cursorArgs = { tool: 'get_fields', entity_type, all, named: fieldNames, as_of_date }
      const page = cursor === undefined ? undefined : parsePage(cursor, cursorArgs)
      const offset = page?.place ?? 0
      const ids = all.slice(offset)
      if (ids.length === 0) throw new Refusal('invalid_cursor')
      const input = {
        entity_type,
        entity_id: null,
        entity_ids: null,
        'entity_ids[]': ids,
        served: page?.served,
        fields: null,
        'fields[]': fieldNames,
        as_of_date: page?.day ?? as_of_date ?? null,
        minimal_fields: false,
      }
      const { body, meta } = await queryFields(requireCaller(call), input, call)
      const { data, missing, as_of_date: asOf, known_gaps, warnings } = JSON.parse(String(body)) as Body
      const rest = { entity_type, as_of_date: asOf, total: all.length, known_gaps, warnings, ...costOf(call, meta.charge) }
      // Pages contain whole entities, so each item is one entity.
      const items = ids.map(id => ({
        values: data.filter(({ entity_id }) => entity_id === id),
        missingFields: missing.filter(({ entity_id }) => entity_id === id),
      }))
      const fittingItems = takeFitting(items, rest)
      const end = offset + fittingItems.length
      return {
        ...rest,
        returned: fittingItems.length,
        next_cursor: end < all.length ? writeCursor([end, meta.asOf, meta.served], cursorArgs) : null,
        entities: fittingItems.flatMap(({ values }) => values),
        missing: fittingItems.flatMap(({ missingFields }) => missingFields),
      }
    },
  )
}

/** @throws Refusal invalid_cursor */
function parsePage(cursor: string, cursorArgs: object) {
  const [place, day, served] = readCursor(cursor, cursorArgs)
  return { place: wholeNumber(place), day: textOrNull(day), served: textOrNull(served) ?? undefined }
}

const idsOf = (type: EntityType, ids: readonly string[]): readonly string[] => [
  ...new Set(ids.map(id => (ENTITIES[type].fold === 'upper' ? id.toUpperCase() : id))),
]
