import { z } from 'zod'
import { ENTITY_TYPES, PLAN_IDS } from '../../../../catalog/index.ts'
import { MISSING_REASONS, type MissingReason } from '../../../field-query/index.ts'
import { DATASET_NAMES } from '../../kernel/index.ts'

const EntityType = z.enum(ENTITY_TYPES)
const Plan = z.enum(PLAN_IDS)
const Day = z.iso.date()

const FieldValue = z
  .strictObject({
    value: z
      .unknown()
      .meta({ description: 'Value of the field, as in reads of the dataset. Fields with several values have a list. Never null.' }),
    unit: z.string().nullable().meta({ description: 'Unit of the value. Null if the value has no unit.' }),
    as_of_date: Day.meta({ description: 'Day to which the value belongs: trading day, end of the fiscal period, or day of the snapshot.' }),
    period: z.string().nullable().meta({ description: 'Fiscal period of the value. Null if the value has no fiscal period.' }),
    announced_at: Day.nullable().meta({ description: 'Day on which the value was announced. Null if unknown or not applicable.' }),
    ...DATASET_NAMES,
    source_role: z
      .string()
      .meta({ description: 'Role of the source of the value. The role `synthetic_sample` means that the value is synthetic.' }),
    release_version: z.string().meta({
      description: 'Release that contains the value. For an earlier `as_of_date`, this can be an earlier release than the served one.',
    }),
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
      description: 'Values by field name, in the requested order. With `minimal_fields`, values have no day, period and release.',
    }),
  })
  .meta({ id: 'EntityFields' })

export const QueryAnswer = z
  .strictObject({
    api_version: z.literal('v2'),
    endpoint: z.literal('/v2/query'),
    request_id: z.string(),
    plan_id: Plan,
    entity_type: EntityType,
    as_of_date: Day,
    data_count: z.int().meta({ description: 'Number of entities with at least one value.' }),
    data: z.array(EntityFields).meta({ description: 'Entities with at least one value, in the requested order.' }),
    missing: z.array(MissingField).meta({ description: 'Fields without a value, with entity and reason.' }),
    known_gaps: z
      .array(z.string())
      .meta({ description: 'Known gaps of the datasets, as labels. The label `synthetic_sample_data` means that the rows are synthetic.' }),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'FieldQueryAnswer' })

const QueryField = z
  .strictObject({
    field: z.string(),
    aliases: z
      .array(z.string())
      .meta({ description: 'Former names of the field, which still work. The response uses the requested name.' }),
    entity_type: EntityType,
    ...DATASET_NAMES,
    column: z.string(),
    type: z.string().meta({
      description:
        'Type of the value: `text`, `date`, `timestamp`, `number`, `integer`, `boolean`, `json`, or a list of one of these types.',
    }),
    unit: z.string().nullable(),
    label_zh: z.string(),
    description: z.string(),
    description_zh: z.string(),
    minimum_plan: Plan,
    credits: z.int().meta({ description: 'Price of a query in credits, regardless of the number of fields.' }),
    default: z.boolean().meta({ description: 'True if a query without field names returns the field.' }),
    example: z.unknown().meta({ description: 'Example value, as in responses. Null if there is no example.' }),
  })
  .meta({ id: 'QueryField' })

export const FieldsAnswer = z.strictObject({ data: z.array(QueryField), data_count: z.int() }).meta({ id: 'QueryFields' })

const QueryExample = z
  .strictObject({ description: z.string(), entity_type: EntityType, url: z.string(), minimum_plan: Plan, credits: z.int() })
  .meta({ id: 'QueryExample' })

export const ExamplesAnswer = z.strictObject({ data: z.array(QueryExample), data_count: z.int() }).meta({ id: 'QueryExamples' })
