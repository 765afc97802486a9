import { z } from 'zod'
import { PLAN_IDS } from '../../../../catalog/index.ts'
import { SHARED_SCHEMA } from '../../../operations/index.ts'
import { integer, requires, text } from '../../kernel/index.ts'

const nextPageToken = z.string().optional().meta({ description: 'Value of `pageToken` for the next page. Absent on the last page.' })

const ShareName = z.enum(PLAN_IDS).meta({ description: 'Plan that the datasets of the share require.' })

const Share = z.object({ name: ShareName }).meta({ id: 'Share' })

export const Shares = z.object({ items: z.array(Share), nextPageToken }).meta({ id: 'Shares' })

export const OneShare = z.object({ share: Share }).meta({ id: 'OneShare' })

export const Schemas = z
  .object({
    items: z.array(z.object({ name: z.literal(SHARED_SCHEMA), share: ShareName }).meta({ id: 'ShareSchema' })),
    nextPageToken,
  })
  .meta({ id: 'ShareSchemas' })

const Table = z
  .object({
    name: z.string().meta({ description: 'Slug of the dataset, with underscores.', example: 'theme_taxonomy' }),
    schema: z.literal(SHARED_SCHEMA),
    share: ShareName,
    id: z.uuid().meta({
      description: 'Id of the table. The id is the same on every service that shares the dataset.',
      example: '6f1c2b1e-5a0b-8a53-9a0e-0f6a2b1c3d4e',
    }),
  })
  .meta({ id: 'SharedTable' })

export const Tables = z
  .object({ items: z.array(Table).meta({ description: 'Tables of all datasets with a release, ordered by slug.' }), nextPageToken })
  .meta({ id: 'SharedTables' })

export const OneTable = z.object({ table: Table }).meta({ id: 'OneSharedTable' })

const SHARE = z.string().meta({ description: 'Name of a share, which is the name of a plan, in upper or lower case.', example: 'free' })
const SCHEMA = z.string().meta({ description: `Always \`${SHARED_SCHEMA}\`, in upper or lower case.`, example: SHARED_SCHEMA })
const TABLE = z.string().meta({ description: 'Slug of a dataset with underscores, in upper or lower case.', example: 'theme_taxonomy' })

export const OF_SHARE = z.object({ share: SHARE })
export const OF_SCHEMA = z.object({ share: SHARE, schema: SCHEMA })
export const OF_TABLE = z.object({ share: SHARE, schema: SCHEMA, table: TABLE })

/** The Delta Sharing protocol uses 32-bit counts. */
const INT32 = 2_147_483_647

export const PAGE = z.object({
  maxResults: integer([0, INT32], 500, { doc: 'Maximum number of items per page.' }),
  pageToken: text(1_000, { doc: 'Cursor: `nextPageToken` of the previous page. Returns the next page.' }),
})

export const MOMENT_DOC = 'RFC 3339 timestamp. A time without an offset is Taipei time.'

export const AS_OF = z.object({
  version: integer([0, INT32], null, { doc: 'Version of the table. Default: the current version.' }),
  timestamp: text(64, { doc: `Returns the version of the table that was served at this time. ${MOMENT_DOC}` }),
})

export const SINCE = z.object({
  startingTimestamp: text(64, { doc: `Returns the first version of the table that was served at or after this time. ${MOMENT_DOC}` }),
})

export const CAPABILITIES = z.object({
  'delta-sharing-capabilities': z.string().optional().meta({
    description:
      'Capabilities of the client, separated by semicolons. `responseformat=delta,parquet` lists the accepted formats. The response uses the format `delta` if the client accepts it, otherwise `parquet`.',
    example: 'responseformat=delta,parquet',
  }),
})

/**
 * Requests for changes are always refused. The declaration gives all such requests the same
 * refusal.
 */
export const CHANGES_PARAMS = z.object({
  startingVersion: text(20, { doc: 'Table version from which changes are returned.' }),
  endingVersion: text(20, { doc: 'Last version of the changes.' }),
  startingTimestamp: text(64, { doc: 'Start time of the changes.' }),
  endingTimestamp: text(64, { doc: 'End time of the changes.' }),
  includeHistoricalMetadata: text(8, { doc: '`true` to include former schemas of the table.' }),
})

export const NO_CHANGE_FEED = {
  en: 'Changes between table versions are not shared. Query two versions, or see /v2/updates for the changes of each publication.',
  zh: '不提供資料表版本間的變更。請查詢兩個版本，或以 /v2/updates 查看每次發布的變更。',
}

const NO_CHANGES = {
  en: 'requests the changes between two versions, which Delta Sharing does not offer here: omit this parameter; /v2/updates has the changes of each publication',
  zh: '此參數查詢版本間的變更，本服務不提供；請省略此參數，並以 /v2/updates 查看每次發布的變更',
}

const NO_AS_OF = {
  en: 'is not a field of the protocol: send timestamp instead, for example 2026-06-30T23:59:59.999+08:00 for the end of a day',
  zh: '不是此協定的欄位；請改用 timestamp，例如以 2026-06-30T23:59:59.999+08:00 表示當日結束',
}

/** Other fields are ignored. */
export const QueryBody = z.looseObject({
  predicateHints: z
    .array(z.string())
    .nullish()
    .meta({
      description:
        'SQL conditions on the key or the date, for omitting files without matching rows. All conditions must hold. A condition can use comparisons with a text, IN, BETWEEN and AND.',
      example: ["symbol = '2330'"],
    }),
  jsonPredicateHints: z.string().nullish().meta({
    description:
      'Conditions on the key or the date, for omitting files without matching rows. The conditions are a tree of operations in JSON, as defined by the Delta Sharing protocol.',
  }),
  limitHint: z.int().min(0).nullish().meta({ description: 'Maximum number of rows that the client needs.', example: 1_000 }),
  version: z.int().min(0).nullish().meta({ description: 'Version of the table. Default: the current version.' }),
  timestamp: z
    .string()
    .nullish()
    .meta({ description: `Returns the version of the table that was served at this time. ${MOMENT_DOC}` }),
  as_of: z
    .unknown()
    .refine(value => value == null, requires(NO_AS_OF, 'unknown_parameter'))
    .optional()
    .meta({ description: 'Not supported. Send `timestamp` instead.' }),
  startingVersion: z
    .unknown()
    .refine(value => value == null, requires(NO_CHANGES, 'unknown_parameter'))
    .optional()
    .meta({ description: 'Not supported, because changes between versions are not shared.' }),
})
