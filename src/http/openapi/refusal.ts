import { z } from 'zod'
import { PLAN_IDS } from '../../../catalog/index.ts'
import { REFUSAL_CODES } from '../../core/index.ts'

const Detail = z
  .object({
    loc: z.array(z.union([z.string(), z.int()])).meta({ description: 'Where: query, body or header, then the name.' }),
    msg: z.string().meta({ description: 'What is accepted there.' }),
    type: z.string(),
    input: z.string().optional().meta({ description: 'What was sent, up to 100 characters.' }),
  })
  .meta({ id: 'fault' })

const Plan = z.enum(PLAN_IDS)

/** The body of every refusal on every route. */
export const RefusalBody = z
  .object({
    detail: z.union([z.string(), z.array(Detail)]).meta({ description: 'A list for 422, a sentence otherwise.' }),
    error: z
      .object({
        error_code: z.enum(REFUSAL_CODES).meta({ description: 'Stable; decide by it, not by the sentence.' }),
        error_message: z.string(),
        blocking_gate: z.string().nullable().meta({ description: 'Which gate refused; null where none did.' }),
        dataset: z.string().nullable(),
        request_id: z.string(),
        docs_url: z.string(),
        required_plan: Plan.optional(),
        current_plan: Plan.optional(),
        upgrade_url: z.string().optional(),
        resets_at: z.iso.datetime({ offset: true }).optional(),
        retry_after: z.number().optional().meta({ description: 'Seconds to wait; also in the Retry-After header.' }),
        limit: z.number().optional(),
        allowed: z.unknown().optional().meta({ description: 'What would have been accepted.' }),
        did_you_mean: z.string().nullable().optional(),
        read_at: z.string().optional().meta({ description: 'Path that answers what was asked for here.' }),
        nearest: z.string().nullable().optional().meta({ description: 'The nearest release that is kept.' }),
        release: z.string().optional(),
        hint: z.string().optional(),
        header: z.string().optional().meta({ description: 'The header that was repeated.' }),
        active: z.int().optional().meta({ description: 'Keys the account has.' }),
        allowed_at_once: z.int().optional(),
        budget_ms: z.int().optional(),
        subscription_id: z.string().optional(),
        status: z.string().optional().meta({ description: 'Of the subscription.' }),
        portal_path: z.string().optional(),
      })
      .meta({ description: 'Facts that help to act stand beside these.' }),
  })
  .meta({ id: 'refusal' })
