import { splitList } from './environment.ts'

/**
 * Price ids of the payment provider. Former prices follow the current price, so that existing
 * subscribers stay on the plan.
 */
export interface Prices {
  readonly pro: readonly [string, ...string[]]
  readonly max: readonly [string, ...string[]]
}

export interface StripeConfig {
  readonly secretKey: string
  readonly apiBase: string | undefined
  /** The current secret, then the former secret during a rotation. */
  readonly webhookSecrets: readonly string[]
  readonly prices: Prices
}

export type StripeEnvironment = {
  readonly [name in 'STRIPE_SECRET_KEY' | 'STRIPE_WEBHOOK_SECRET' | 'STRIPE_API_BASE' | 'STRIPE_PRICE_PRO' | 'STRIPE_PRICE_MAX']?:
    | string
    | undefined
}

/**
 * Reports missing variables and prices that appear twice. Empty if no payment provider is
 * configured.
 */
export function paymentMistakes(env: StripeEnvironment): readonly string[] {
  if (env.STRIPE_SECRET_KEY === undefined) return []
  const pro = splitList(env.STRIPE_PRICE_PRO)
  const max = splitList(env.STRIPE_PRICE_MAX)
  if (splitList(env.STRIPE_WEBHOOK_SECRET).length === 0 || pro.length === 0 || max.length === 0)
    return ['STRIPE_SECRET_KEY requires STRIPE_WEBHOOK_SECRET, STRIPE_PRICE_PRO and STRIPE_PRICE_MAX']
  const prices = [...pro, ...max]
  return new Set(prices).size === prices.length ? [] : [PRICE_NAMED_TWICE]
}

const PRICE_NAMED_TWICE =
  'STRIPE_PRICE_PRO and STRIPE_PRICE_MAX contain the same price: list the current price first, then former ones, each under one plan only'

/** Null if billing is disabled. Expects valid variables (see `paymentMistakes`). */
export function stripeConfig(env: StripeEnvironment): StripeConfig | null {
  const { STRIPE_SECRET_KEY: secretKey } = env
  const [pro, ...formerPro] = splitList(env.STRIPE_PRICE_PRO)
  const [max, ...formerMax] = splitList(env.STRIPE_PRICE_MAX)
  const webhookSecrets = splitList(env.STRIPE_WEBHOOK_SECRET)
  if (secretKey === undefined || pro === undefined || max === undefined) return null
  const prices: Prices = { pro: [pro, ...formerPro], max: [max, ...formerMax] }
  return { secretKey, apiBase: env.STRIPE_API_BASE, webhookSecrets, prices }
}
