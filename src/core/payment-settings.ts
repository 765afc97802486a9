import { listed } from './environment.ts'

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

/** Where the provider's key is set: variables it cannot do without that are not, and a price that is named twice. */
export function paymentMistakes(env: StripeEnvironment): readonly string[] {
  if (env.STRIPE_SECRET_KEY === undefined) return []
  const [pro, max] = [listed(env.STRIPE_PRICE_PRO), listed(env.STRIPE_PRICE_MAX)]
  if (listed(env.STRIPE_WEBHOOK_SECRET).length === 0 || pro.length === 0 || max.length === 0)
    return ['STRIPE_SECRET_KEY needs STRIPE_WEBHOOK_SECRET, STRIPE_PRICE_PRO and STRIPE_PRICE_MAX beside it']
  const named = [...pro, ...max]
  return new Set(named).size === named.length ? [] : [TWICE]
}

const TWICE =
  'STRIPE_PRICE_PRO and STRIPE_PRICE_MAX name a price twice; each price belongs to one plan: the one that is sold first, then former ones, separated by commas'

/** Null where billing is off. Takes variables without `paymentMistakes`. */
export function stripeConfig(env: StripeEnvironment): StripeConfig | null {
  const { STRIPE_SECRET_KEY: secretKey } = env
  const [[pro, ...formerPro], [max, ...formerMax], webhookSecrets] = [
    listed(env.STRIPE_PRICE_PRO),
    listed(env.STRIPE_PRICE_MAX),
    listed(env.STRIPE_WEBHOOK_SECRET),
  ]
  if (secretKey === undefined || pro === undefined || max === undefined) return null
  const prices: Prices = { pro: [pro, ...formerPro], max: [max, ...formerMax] }
  return { secretKey, apiBase: env.STRIPE_API_BASE, webhookSecrets, prices }
}
