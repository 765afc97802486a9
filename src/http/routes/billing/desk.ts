import type { FastifyRequest } from 'fastify'
import type { Billing } from '../../../accounts/index.ts'
import { Refusal } from '../../../core/index.ts'
import type { SelfServeParts } from '../accounts/self-serve.ts'

/** What every route that reaches the payment provider is built from. */
export interface BillingRouteParts extends SelfServeParts {
  /** The way to the payment provider; null where none is configured. */
  readonly billing: Billing | null
  /** Origin that customers may be sent back to, for example `https://data.example`. */
  readonly origin: () => string
}

/** @throws Refusal billing_unavailable where no provider is configured */
export function billingOf({ billing }: Pick<BillingRouteParts, 'billing'>): Billing {
  if (!billing) throw new Refusal('billing_unavailable')
  return billing
}

/** What the provider answers; its faults are a 503 that says to try again, and never its own words. */
export async function unlessDown<T>(parts: BillingRouteParts, request: FastifyRequest, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!billingOf(parts).provider.isFault(error)) throw error
    parts.log('failed', { request_id: request.id, during: 'asking the payment provider', error: error.constructor.name })
    throw new Refusal('billing_unavailable', { retry_after: 30 })
  }
}
