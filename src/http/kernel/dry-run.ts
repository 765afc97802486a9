import { z } from 'zod'
import { FORMATS } from '../../../catalog/index.ts'
import { flagOf, type Words } from '../../core/index.ts'
import type { DryRun } from '../../operations/index.ts'
import { type Answered, encoded } from './answer.ts'
import type { SentQuery } from './input.ts'
import { errorBody } from './refusal-form.ts'
import { PlanName, timestamp } from './values.ts'

/**
 * Media type of an estimate. A parameter of `application/json` is not enough, because OpenAPI tools
 * ignore parameters.
 */
export const DRY_RUN_TYPE = 'application/vnd.twmd.dry-run+json'

export const DRY_RUN_PARAM =
  'If `true`, returns number of rows, size and price of the response instead of the data, or the expected error. Free of charge.'

/** False for an invalid value, which a later check refuses. */
export const isDryRun = ({ dry_run: sent }: SentQuery): boolean => typeof sent === 'string' && flagOf(sent) === true

const Count = z.int().min(0)

const RefusedRead = z
  .looseObject({
    error_code: z.string(),
    error_message: z.string(),
    required_plan: PlanName.optional(),
    current_plan: PlanName.optional(),
    credits_needed: Count.optional().meta({ description: 'Price of the read in credits.' }),
    resets_at: timestamp('Time at which the credits reset.').optional(),
  })
  .meta({ id: 'RefusedRead' })

export const DryRunAnswer = z
  .object({
    dry_run: z.literal(true),
    dataset: z.string(),
    slug: z.string(),
    format: z.enum(FORMATS).nullable().meta({
      description:
        'Format of the response. Null if the read is refused before the format is known. In this case, `release`, `rows`, `rows_are` and `estimated_bytes` are also null.',
    }),
    release: z.string().nullable(),
    rows: Count.nullable(),
    rows_are: z.enum(['exact', 'at_most']).nullable().meta({
      description:
        'Precision of `rows`. `exact`: the rows were counted. `at_most`: `rows` is an upper bound, because counting would be expensive. Null if `rows` is null.',
    }),
    estimated_bytes: Count.nullable().meta({
      description:
        'Size of the body before compression, in bytes. The size is exact up to 2,000 rows, and extrapolated for more rows. For `at_most` rows and for field queries, the size is a rough upper bound. Null if unknown.',
    }),
    credits: Count.meta({ description: 'Price of the read in credits. 0 if the read would be refused, and for visitors of the portal.' }),
    row_limit: Count.meta({ description: 'Maximum number of rows per response in the plan.' }),
    limited: z.boolean().nullable().meta({ description: 'True if more rows match than the plan allows per response. Null if unknown.' }),
    would_be_refused: z.boolean(),
    refusal: z
      .object({ status: z.int(), detail: z.unknown(), error: RefusedRead })
      .nullable()
      .meta({ description: 'Status and body of the error response that the read would receive. Null if the read would succeed.' }),
  })
  .meta({ id: 'dry_run', description: 'Expected result and price of a read.' })

export const SqlDryRunAnswer = DryRunAnswer.extend({
  scan: z
    .object({
      scanned_rows: Count.meta({ description: 'Number of rows to scan, from which the price is computed.' }),
      releases: z.record(z.string(), z.string()).meta({ description: 'Releases to read, by slug of the dataset.' }),
      time_limit_seconds: Count.meta({ description: 'Time limit of a query in the plan, in seconds.' }),
    })
    .optional()
    .meta({ description: 'Rows and releases that the query would read. Absent if the query would be refused.' }),
}).meta({ id: 'sql_dry_run', description: 'Expected result and price of an SQL query.' })

export function dryRunAnswer(
  { priced, estimate, credits, rowLimit, refusal }: DryRun,
  { requestId, language }: { readonly requestId: string; readonly language: keyof Words },
): Answered<never> {
  const body = {
    dry_run: true,
    dataset: priced.id,
    slug: priced.slug,
    format: estimate?.format ?? null,
    release: estimate?.release ?? null,
    rows: estimate?.rows ?? null,
    rows_are: estimate && (estimate.isExact ? 'exact' : 'at_most'),
    estimated_bytes: estimate?.bytes ?? null,
    credits,
    row_limit: rowLimit,
    limited: estimate?.limited ?? null,
    ...(estimate?.scan && {
      scan: { scanned_rows: estimate.scan.rows, releases: estimate.scan.releases, time_limit_seconds: estimate.scan.seconds },
    }),
    would_be_refused: refusal !== null,
    refusal: refusal && { status: refusal.status, ...errorBody(refusal, requestId, { type: 'application/json', language }) },
  }
  return encoded(JSON.stringify(body), { encoder: { mediaType: `${DRY_RUN_TYPE}; charset=utf-8` } })
}
