import { listed } from './listed.ts'

/** Per plan the provider's prices: the one that is sold first, then those that were, whose subscribers keep the plan. */
export interface Prices {
  readonly pro: readonly [string, ...string[]]
  readonly max: readonly [string, ...string[]]
}

/** The payment provider. Absent as a whole where billing is off. */
export interface StripeConfig {
  readonly secretKey: string
  readonly apiBase: string | undefined
  /** The one in use first; a second one while it is rotated. */
  readonly webhookSecrets: readonly string[]
  readonly prices: Prices
}

/** Variables of the payment provider, each absent where it is not set. */
export type StripeEnvironment = {
  readonly [name in 'STRIPE_SECRET_KEY' | 'STRIPE_WEBHOOK_SECRET' | 'STRIPE_API_BASE' | 'STRIPE_PRICE_PRO' | 'STRIPE_PRICE_MAX']?:
    | string
    | undefined
}

/** @throws Error when some of the provider's variables are set and others, which it cannot do without, are not; or a price is named twice */
export function stripeConfig(env: StripeEnvironment): StripeConfig | null {
  const { STRIPE_SECRET_KEY: secretKey } = env
  if (secretKey === undefined) return null
  const [[pro, ...formerPro], [max, ...formerMax], webhookSecrets] = [
    listed(env.STRIPE_PRICE_PRO),
    listed(env.STRIPE_PRICE_MAX),
    listed(env.STRIPE_WEBHOOK_SECRET),
  ]
  if (webhookSecrets.length === 0 || pro === undefined || max === undefined)
    throw new Error('STRIPE_SECRET_KEY needs STRIPE_WEBHOOK_SECRET, STRIPE_PRICE_PRO and STRIPE_PRICE_MAX beside it')
  const prices: Prices = { pro: [pro, ...formerPro], max: [max, ...formerMax] }
  const named = [...prices.pro, ...prices.max]
  if (new Set(named).size < named.length)
    throw new Error(
      'STRIPE_PRICE_PRO and STRIPE_PRICE_MAX name a price twice; each price belongs to one plan: the one that is sold first, then former ones, separated by commas',
    )
  return { secretKey, apiBase: env.STRIPE_API_BASE, webhookSecrets, prices }
}
