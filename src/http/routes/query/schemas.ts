import { z } from 'zod'
import { ENTITY_TYPES, PLAN_IDS } from '../../../../catalog/index.ts'
import { MISSING_REASONS, type MissingReason } from '../../../field-query/index.ts'
import { DATASET_NAMES } from '../../kernel/index.ts'

const EntityType = z.enum(ENTITY_TYPES)
const Plan = z.enum(PLAN_IDS)
const Day = z.iso.date()

const FieldValue = z
  .strictObject({
    value: z.json().meta({ description: 'As reads of the dataset send it; a list where the field is one. Never null.' }),
    unit: z.string().nullable().meta({ description: 'Null for what has none.' }),
    as_of_date: Day.meta({ description: 'Day the value speaks of: trading day, end of the fiscal period, or day of the snapshot.' }),
    period: z.string().nullable().meta({ description: 'Fiscal period; null where there are none.' }),
    announced_at: Day.nullable().meta({ description: 'Day this version was announced; null where unknown or where nothing is announced.' }),
    dataset: z.string(),
    source_role: z.string().meta({ description: 'Role of the source; synthetic_sample where the value is made up.' }),
    release_version: z
      .string()
      .meta({ description: 'Release the value was read from; a former one where as_of_date is before the served one.' }),
  })
  .meta({ id: 'FieldValue' })

const reasons = Object.entries(MISSING_REASONS).map(([reason, doc]) => `${reason}: ${doc}`)

const MissingField = z
  .strictObject({
    entity_id: z.string(),
    field: z.string(),
    reason: z.enum(Object.keys(MISSING_REASONS) as [MissingReason, ...MissingReason[]]).meta({ description: reasons.join('. ') }),
  })
  .meta({ id: 'MissingField' })

const EntityFields = z
  .strictObject({
    entity_id: z.string(),
    fields: z
      .union([z.record(z.string(), FieldValue), z.record(z.string(), z.json())])
      .meta({ description: 'By field name, in the order asked for; with minimal_fields the value alone, without its day and period.' }),
  })
  .meta({ id: 'EntityFields' })

/** Answer of `GET /v2/query`. */
export const QueryAnswer = z
  .strictObject({
    api_version: z.literal('v2'),
    endpoint: z.literal('/v2/query'),
    request_id: z.string(),
    plan_id: Plan,
    entity_type: EntityType,
    as_of_date: Day,
    data_count: z.int().meta({ description: 'Entities with at least one value.' }),
    data: z.array(EntityFields).meta({ description: 'In the order asked for.' }),
    missing: z.array(MissingField).meta({ description: 'Every field of every entity that has no value, and why.' }),
    known_gaps: z
      .array(z.string())
      .meta({ description: 'What the datasets read are known to lack, as labels; synthetic_sample_data where rows are made up.' }),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'FieldQueryAnswer' })

const QueryField = z
  .strictObject({
    field: z.string(),
    aliases: z.array(z.string()).meta({ description: 'Former names, taken as well; who asks by one is answered by it.' }),
    entity_type: EntityType,
    ...DATASET_NAMES,
    column: z.string(),
    type: z.string().meta({ description: 'text, date, timestamp, number, integer, boolean, json, or a list of one of them.' }),
    unit: z.string().nullable(),
    label_zh: z.string(),
    description: z.string(),
    description_zh: z.string(),
    minimum_plan: Plan,
    credits: z.int().meta({ description: 'Cost of a query, whatever the number of its fields.' }),
    default: z.boolean().meta({ description: 'Answered when a query names no field.' }),
    example: z.json().meta({ description: 'A value as it is sent; null where no example is known.' }),
  })
  .meta({ id: 'QueryField' })

/** Answer of `GET /v2/query/fields`. */
export const FieldsAnswer = z.strictObject({ data: z.array(QueryField), data_count: z.int() }).meta({ id: 'QueryFields' })

const QueryExample = z
  .strictObject({ description: z.string(), entity_type: EntityType, url: z.string(), minimum_plan: Plan, credits: z.int() })
  .meta({ id: 'QueryExample' })

/** Answer of `GET /v2/query/examples`. */
export const ExamplesAnswer = z.strictObject({ data: z.array(QueryExample), data_count: z.int() }).meta({ id: 'QueryExamples' })
