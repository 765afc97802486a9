import { z } from 'zod'
import { FORMATS } from '../../../catalog/index.ts'
import { flagOf, type Words } from '../../core/index.ts'
import type { DryRun } from '../../operations/index.ts'
import { type Answered, encoded } from './answer.ts'
import type { SentQuery } from './input.ts'
import { errorBody } from './refusal-form.ts'
import { PlanName, timestamp } from './values.ts'

/** The media type of a dry run. Not a parameter of application/json: readers of OpenAPI compare types without parameters. */
export const DRY_RUN_TYPE = 'application/vnd.twmd.dry-run+json'

export const DRY_RUN_PARAM = 'Says rows, bytes and price of the answer, and whether it would be refused, instead; free of charge.'

/** True for a call that asks what its answer would be. A parameter that says anything else is left to be checked with the others. */
export const isDryRun = ({ dry_run: sent }: SentQuery): boolean => typeof sent === 'string' && flagOf(sent) === true

const Count = z.int().min(0)

/** Facts of a refusal that a caller acts on. A refusal may have others, as the body of each refusal describes. */
const RefusedRead = z
  .looseObject({
    error_code: z.string(),
    error_message: z.string(),
    required_plan: PlanName.optional(),
    current_plan: PlanName.optional(),
    credits_needed: Count.optional().meta({ description: 'Price of the read.' }),
    resets_at: timestamp('When the credits return.').optional(),
  })
  .meta({ id: 'RefusedRead' })

/** The body of a dry run. */
export const DryRunAnswer = z
  .object({
    dry_run: z.literal(true),
    dataset: z.string(),
    slug: z.string(),
    format: z
      .enum(FORMATS)
      .nullable()
      .meta({ description: 'Null where the read would be refused before that is known; so are the next four.' }),
    release: z.string().nullable(),
    rows: Count.nullable(),
    rows_are: z.enum(['exact', 'at_most']).nullable().meta({ description: 'Rows are counted where that is cheap.' }),
    estimated_bytes: Count.nullable().meta({
      description:
        'Of the body, before any compression of the transfer: counted up to 2,000 rows, beyond them told from these; for at_most rows, and of a field query, a rough upper bound.',
    }),
    credits: Count.meta({ description: 'What the read would cost; 0 where it would be refused, and for visitors of the portal.' }),
    row_limit: Count.meta({ description: 'Most rows the plan takes in one answer.' }),
    limited: z.boolean().nullable().meta({ description: 'The row limit would leave out rows that are asked for.' }),
    would_be_refused: z.boolean(),
    refusal: z
      .object({ status: z.int(), detail: z.unknown(), error: RefusedRead })
      .nullable()
      .meta({ description: 'The first refusal the read would be answered with: its status and its body.' }),
  })
  .meta({ id: 'dry_run', description: 'What a read would answer and cost.' })

/** The answer that says what a call would come to. */
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
    would_be_refused: refusal !== null,
    refusal: refusal && { status: refusal.status, ...errorBody(refusal, requestId, { type: 'application/json', language }) },
  }
  return encoded(JSON.stringify(body), { encoder: { mediaType: `${DRY_RUN_TYPE}; charset=utf-8` } })
}
