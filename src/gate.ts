import type { Dataset, PlanId } from '../catalog/dataset.ts'
import { meets, PLANS } from '../catalog/plans.ts'
import { isApiKeyShaped } from './accounts/api-key.ts'
import type { KeyStore } from './accounts/keys.ts'
import type { Ledger } from './accounts/ledger.ts'
import { type Clock, nextMonth, taipei } from './core/clock.ts'
import { Refusal } from './core/errors.ts'
import type { Grant } from './core/grant.ts'

/** Credits of the running period, as the answer's headers state them. */
export interface Balance {
  readonly limit: number
  readonly remaining: number
  /** RFC 3339: when the next period begins. */
  readonly resetsAt: string
}

/** Credits set aside for a read that runs: settle it once it is answered, or give it back. */
export interface Hold {
  /** Records the use and resolves once it is committed; the credits stay spent. */
  settle(use: { readonly requestId: string; readonly rows: number }): Promise<void>
  /** Gives the credits back; harmless after settle. */
  release(): void
}

export interface Gate {
  /** @throws Refusal missing_api_key, invalid_api_key, revoked_api_key, expired_api_key, account_closed */
  admit(secret: string | undefined): Grant
  /** @throws Refusal plan_required */
  allow(grant: Grant, dataset: Dataset): void
  /** @throws Refusal credits_exhausted when fewer credits remain than the read costs, those of running reads set aside */
  hold(grant: Grant, dataset: Dataset): Hold
  balance(grant: Grant): Balance
}

/** The seam between accounts and query: a secret goes in, a Grant comes out, usage goes back. */
export function openGate(keys: KeyStore, ledger: Ledger, clock: Clock): Gate {
  const held = new Map<string, number>()
  const balance = ({ accountId, plan }: Grant): Balance => {
    const now = clock()
    const limit = PLANS[plan].creditsPerMonth
    const spent = ledger.used(accountId, taipei(now).slice(0, 7)) + (held.get(accountId) ?? 0)
    return { limit, remaining: Math.max(0, limit - spent), resetsAt: taipei(nextMonth(now)) }
  }
  const setAside = (accountId: string, credits: number): void => {
    const sum = (held.get(accountId) ?? 0) + credits
    if (sum === 0) held.delete(accountId)
    else held.set(accountId, sum)
  }
  return {
    balance,
    admit(secret) {
      if (secret === undefined || secret === '') throw new Refusal('missing_api_key')
      const holder = isApiKeyShaped(secret) ? keys.find(secret) : undefined
      if (!holder) throw new Refusal('invalid_api_key')
      if (holder.status === 'revoked') throw new Refusal('revoked_api_key')
      if (holder.expiresAt !== null && holder.expiresAt <= taipei(clock()))
        throw new Refusal('expired_api_key', { expired_at: holder.expiresAt })
      if (holder.accountStatus === 'closed') throw new Refusal('account_closed')
      return { accountId: holder.accountId, keyId: holder.keyId, plan: holder.plan, rowLimit: PLANS[holder.plan].rowLimit }
    },
    allow({ plan }, dataset) {
      const required = dataset.access!.plan
      if (!meets(plan, required)) throw planRequired(dataset, required, plan)
    },
    hold(grant, dataset) {
      const { credits } = dataset.access!
      const { remaining, limit, resetsAt } = balance(grant)
      if (remaining < credits) {
        throw new Refusal('credits_exhausted', {
          credits_needed: credits,
          credits_remaining: remaining,
          credits_limit: limit,
          resets_at: resetsAt,
          upgrade_url: UPGRADE,
        })
      }
      setAside(grant.accountId, credits)
      let open = true
      const release = (): void => {
        if (open) setAside(grant.accountId, -credits)
        open = false
      }
      return {
        release,
        async settle({ requestId, rows }) {
          try {
            await ledger.record({
              requestId,
              accountId: grant.accountId,
              keyId: grant.keyId,
              dataset: dataset.slug,
              at: taipei(clock()),
              credits,
              rows,
            })
          } finally {
            release()
          }
        },
      }
    },
  }
}

const UPGRADE = '/v2/product/tiers'

const planRequired = (dataset: Dataset, required: PlanId, current: PlanId): Refusal =>
  new Refusal('plan_required', { dataset: dataset.id, required_plan: required, current_plan: current, upgrade_url: UPGRADE })
