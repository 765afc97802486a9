import { z } from 'zod'
import { PLAN_IDS } from '../../../catalog/index.ts'
import { requires } from './requirements.ts'

/** RFC 3339 in Taipei time. */
export const timestamp = (doc: string) =>
  z
    .string()
    .regex(/\+08:00$/)
    .meta({ description: `${doc} RFC 3339, offset +08:00.`, format: 'date-time' })

/**
 * Visible ASCII without spaces. Does not match repeated headers, because Node joins them with a
 * space.
 */
const NAME = /^[!-~]{1,255}$/
const NAME_WORDS = { en: 'must be 1 to 255 visible ASCII characters, sent once', zh: '必須是 1 至 255 個可見的 ASCII 字元，且只傳送一次' }

/** A POST with the same idempotency key is executed only once. */
export const REPEATABLE = z.object({
  'idempotency-key': z
    .string()
    .refine(name => NAME.test(name), requires(NAME_WORDS, 'pattern'))
    .optional()
    .meta({
      description:
        'Unique id that the client generates for this request, for example a UUID. For one day, a repeated request with the same id returns the first response and creates nothing. A repeated request returns 422 if its body differs, and 409 while the first request is in progress. Error responses are not stored.',
      pattern: NAME.source,
      example: '7d1f0c1e-5a0b-4a53-9a0e-0f6a2b1c3d4e',
    }),
})

interface Repeatable {
  readonly requestId: string
  readonly headers: z.output<typeof REPEATABLE>
  readonly body: unknown
}

/** @param actor id of the actor. Idempotency keys are unique per actor and path */
export const namedCall = ({ requestId, headers, body }: Repeatable, actor: string, path: string) => ({
  requestId,
  idempotencyKey: headers['idempotency-key'],
  actor,
  path,
  input: body,
})

export const calendarDay = (doc: string) => z.string().meta({ description: `${doc} YYYY-MM-DD, Taipei time.`, format: 'date' })

export const DATASET_NAMES = {
  dataset: z.string().meta({ description: 'Id of the dataset, as in responses.', example: 'bond_yield_curve' }),
  slug: z.string().meta({ description: 'Name of the dataset in paths.', example: 'bond-yield-curve' }),
}

export const count = (doc: string) => z.int().min(0).meta({ description: doc })

export const MINOR_UNITS = 'integer minor units (99000 is TWD 990.00)'

/** Amounts have no decimals. */
export const money = (doc: string) =>
  z
    .int()
    .min(0)
    .meta({ description: `${doc} In ${MINOR_UNITS}, before tax.` })

export const PlanName = z
  .enum(PLAN_IDS)
  .meta({ id: 'PlanName', description: 'Name of the plan. The plans in ascending order are free, pro and max.' })

const RateLimits = z
  .object({
    requests_per_minute: count('Maximum number of requests per minute. All keys of the account share this limit.'),
    requests_at_once: count('Maximum number of concurrent reads. Further reads are queued.'),
  })
  .meta({ id: 'RateLimits' })

export const LIMITS = {
  row_limit: count('Maximum number of rows per response.'),
  rate_limits: RateLimits,
}
