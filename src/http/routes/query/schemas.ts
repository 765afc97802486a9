import { z } from 'zod'
import { ENTITY_TYPES, PLAN_IDS } from '../../../../catalog/index.ts'
import { MISSING_REASONS, type MissingReason } from '../../../field-query/index.ts'
import { DATASET_NAMES } from '../../kernel/index.ts'

const EntityType = z.enum(ENTITY_TYPES)
const Plan = z.enum(PLAN_IDS)
const Day = z.iso.date()

const FieldValue = z
  .strictObject({
    value: z.unknown().meta({ description: 'Value, as in reads of the dataset. A list for list fields. Never null.' }),
    unit: z.string().nullable().meta({ description: 'Null if not applicable.' }),
    as_of_date: Day.meta({ description: 'Date of the value: trading day, end of the fiscal period, or day of the snapshot.' }),
    period: z.string().nullable().meta({ description: 'Fiscal period. Null if not applicable.' }),
    announced_at: Day.nullable().meta({ description: 'Announcement date of this version. Null if unknown or not applicable.' }),
    ...DATASET_NAMES,
    source_role: z.string().meta({ description: 'Role of the source. `synthetic_sample` for synthetic values.' }),
    release_version: z
      .string()
      .meta({ description: 'Release of the value. An earlier release if `as_of_date` is before the served release.' }),
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
    fields: z.union([z.record(z.string(), FieldValue), z.record(z.string(), z.unknown())]).meta({
      description: 'Values by field name, in the requested order. With `minimal_fields`, only the values, without day and period.',
    }),
  })
  .meta({ id: 'EntityFields' })

/** Body of `GET /v2/query`. */
export const QueryAnswer = z
  .strictObject({
    api_version: z.literal('v2'),
    endpoint: z.literal('/v2/query'),
    request_id: z.string(),
    plan_id: Plan,
    entity_type: EntityType,
    as_of_date: Day,
    data_count: z.int().meta({ description: 'Number of entities with at least one value.' }),
    data: z.array(EntityFields).meta({ description: 'Entities in the requested order.' }),
    missing: z.array(MissingField).meta({ description: 'Fields of entities without a value, with the reason.' }),
    known_gaps: z
      .array(z.string())
      .meta({ description: 'Known gaps of the datasets, as labels. `synthetic_sample_data`: the rows are synthetic.' }),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'FieldQueryAnswer' })

const QueryField = z
  .strictObject({
    field: z.string(),
    aliases: z.array(z.string()).meta({ description: 'Former names, which still work. The response uses the requested name.' }),
    entity_type: EntityType,
    ...DATASET_NAMES,
    column: z.string(),
    type: z
      .string()
      .meta({ description: '`text`, `date`, `timestamp`, `number`, `integer`, `boolean`, `json`, or a list of one of them.' }),
    unit: z.string().nullable(),
    label_zh: z.string(),
    description: z.string(),
    description_zh: z.string(),
    minimum_plan: Plan,
    credits: z.int().meta({ description: 'Price of a query, regardless of the number of fields.' }),
    default: z.boolean().meta({ description: 'True if a query without field names returns the field.' }),
    example: z.unknown().meta({ description: 'Example value as sent. Null if there is none.' }),
  })
  .meta({ id: 'QueryField' })

/** Body of `GET /v2/query/fields`. */
export const FieldsAnswer = z.strictObject({ data: z.array(QueryField), data_count: z.int() }).meta({ id: 'QueryFields' })

const QueryExample = z
  .strictObject({ description: z.string(), entity_type: EntityType, url: z.string(), minimum_plan: Plan, credits: z.int() })
  .meta({ id: 'QueryExample' })

/** Body of `GET /v2/query/examples`. */
export const ExamplesAnswer = z.strictObject({ data: z.array(QueryExample), data_count: z.int() }).meta({ id: 'QueryExamples' })
