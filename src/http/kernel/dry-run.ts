import { z } from 'zod'
import { FORMATS } from '../../../catalog/index.ts'
import { flagOf, type Words } from '../../core/index.ts'
import type { DryRun } from '../../operations/index.ts'
import { type Answered, encoded } from './answer.ts'
import type { SentQuery } from './input.ts'
import { errorBody } from './refusal-form.ts'
import { PlanName, timestamp } from './values.ts'

/**
 * Media type of a dry run (an estimate of a response). A parameter such as `application/json;
 * profile=…` would not be enough, because OpenAPI tools ignore parameters of media types.
 */
export const DRY_RUN_TYPE = 'application/vnd.twmd.dry-run+json'

export const DRY_RUN_PARAM =
  '`true` returns the rows, bytes and price of the response, or the refusal, instead of the data. Free of charge.'

/**
 * True if the request is a dry run. Invalid values of the parameter are refused later, together
 * with other parameters.
 */
export const isDryRun = ({ dry_run: sent }: SentQuery): boolean => typeof sent === 'string' && flagOf(sent) === true

const Count = z.int().min(0)

/** Details of a refusal on which programs can act. A refusal may have further details. */
const RefusedRead = z
  .looseObject({
    error_code: z.string(),
    error_message: z.string(),
    required_plan: PlanName.optional(),
    current_plan: PlanName.optional(),
    credits_needed: Count.optional().meta({ description: 'Price of the read.' }),
    resets_at: timestamp('Time at which the credits reset.').optional(),
  })
  .meta({ id: 'RefusedRead' })

export const DryRunAnswer = z
  .object({
    dry_run: z.literal(true),
    dataset: z.string(),
    slug: z.string(),
    format: z
      .enum(FORMATS)
      .nullable()
      .meta({ description: 'Null if the read is refused before the format is known. The next four fields are then null too.' }),
    release: z.string().nullable(),
    rows: Count.nullable(),
    rows_are: z
      .enum(['exact', 'at_most'])
      .nullable()
      .meta({ description: '`exact`: counted. `at_most`: an upper bound, because counting would be expensive.' }),
    estimated_bytes: Count.nullable().meta({
      description:
        'Size of the body before compression. Exact up to 2,000 rows, extrapolated above. For `at_most` rows and for field queries, a rough upper bound.',
    }),
    credits: Count.meta({ description: 'Price of the read. 0 if it would be refused, and for visitors of the portal.' }),
    row_limit: Count.meta({ description: 'Maximum number of rows per response in the plan.' }),
    limited: z.boolean().nullable().meta({ description: 'True if more rows match than the plan allows per response.' }),
    would_be_refused: z.boolean(),
    refusal: z
      .object({ status: z.int(), detail: z.unknown(), error: RefusedRead })
      .nullable()
      .meta({ description: 'Status and body of the refusal that the read would receive. Null if the read would succeed.' }),
  })
  .meta({ id: 'dry_run', description: 'Expected result and price of a read.' })

export const SqlDryRunAnswer = DryRunAnswer.extend({
  scan: z
    .object({
      scanned_rows: Count.meta({ description: 'Scanned rows from which the price is computed.' }),
      releases: z.record(z.string(), z.string()).meta({ description: 'Releases to read, by slug.' }),
      time_limit_seconds: Count.meta({ description: 'Time limit of the plan.' }),
    })
    .optional()
    .meta({ description: 'Absent if the query would be refused.' }),
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
