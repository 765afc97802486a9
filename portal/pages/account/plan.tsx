import { useSignal } from '@preact/signals'
import type { Account, CheckoutSession, PlanName, PortalSession, TierList } from '../../../clients/typescript/src/index.ts'
import { ask, type Refused } from '../../api/client.ts'
import { useAnswer } from '../../api/use.ts'
import { subscriptionWords } from '../../parts/labels.ts'
import { linkTo, number, planName, say } from '../../parts/language.ts'
import { money } from '../../parts/money.ts'
import { Refusal } from '../../parts/refusal.tsx'
import { dayText } from '../../parts/time.ts'
import { AfterCheckout } from './after-checkout.tsx'
import { Invoice } from './invoice.tsx'

/**
 * Returns the address to which the payment provider sends the user back. Uses the configured
 * origin of the service.
 */
function returnTo(query: string): string {
  const shown = document.querySelector<HTMLMetaElement>('meta[property="og:url"]')?.content ?? location.href
  return new URL(`${linkTo('/account')}${query}#plan`, shown).href
}

/** False if the service has no payment provider. */
const CAN_PAY = document.querySelector('meta[name="payments"][content="off"]') === null

export function Plan({ account }: { readonly account: Account }) {
  const [refused, busy] = [useSignal<Refused | null>(null), useSignal(false)]
  const tiers = useAnswer<TierList>({ path: '/v2/product/tiers' })
  const leave = async (path: string, body: object) => {
    busy.value = true
    const answer = await ask<CheckoutSession | PortalSession>({ path, method: 'POST', body })
    if (answer.ok) return location.assign(answer.body.url)
    busy.value = false
    refused.value = answer.refused
  }
  const choose = (plan: PlanName) =>
    leave('/v2/billing/checkout-session', { plan_id: plan, success_url: returnTo('?paid=1'), cancel_url: returnTo('') })
  const manage = (subscription?: string) =>
    leave('/v2/self-serve/billing/portal-session', {
      return_url: returnTo(''),
      ...(subscription === undefined ? {} : { subscription_id: subscription }),
    })
  const { subscriptions } = account
  const isLive = subscriptions.length > 0
  const mine = tiers.value.value?.data.find(tier => tier.plan_id === account.plan_id)
  return (
    <section id="plan">
      <h2>{say({ en: 'Plan and billing', zh: '方案與帳務' })}</h2>
      <AfterCheckout plan={account.plan_id} />
      {account.grant && (
        <p>
          {say({
            en: `The plan ${planName(account.grant.plan_id)} was granted${account.grant.expires_at ? ` until ${dayText(account.grant.expires_at)}` : ''}.`,
            zh: `已獲贈 ${planName(account.grant.plan_id)} 方案${account.grant.expires_at ? `，至 ${dayText(account.grant.expires_at)}` : ''}。`,
          })}
        </p>
      )}
      {subscriptions.map(subscription => (
        <p key={subscription.subscription_id} class={subscription.grace_ends_at ? 'notice warn' : 'notice'}>
          {say({
            en: `Subscription to ${planName(subscription.plan_id)}: ${subscriptionWords(subscription.status).en}`,
            zh: `${planName(subscription.plan_id)} 訂閱：${subscriptionWords(subscription.status).zh}`,
          })}
          {subscription.cancel_at_period_end
            ? say({
                en: `, ends ${dayText(subscription.current_period_end)}`,
                zh: `，於 ${dayText(subscription.current_period_end)} 結束`,
              })
            : say({
                en: `, paid until ${dayText(subscription.current_period_end)}`,
                zh: `，已付至 ${dayText(subscription.current_period_end)}`,
              })}
          {subscription.grace_ends_at &&
            say({
              en: `. The last invoice is unpaid: the plan ends ${dayText(subscription.grace_ends_at)}`,
              zh: `。帳單逾期未付，方案將於 ${dayText(subscription.grace_ends_at)} 終止`,
            })}
          {say({ en: '.', zh: '。' })}{' '}
          <button type="button" disabled={busy.value} onClick={() => void manage(subscription.subscription_id)}>
            {say({ en: 'Change or cancel; invoices', zh: '變更、取消、帳單' })}
          </button>
        </p>
      ))}
      <Refusal refused={refused.value ?? tiers.value.refused} />
      {!CAN_PAY && (
        <p class="notice">
          {say({
            en: 'This service does not accept payments. Its operator can grant a paid plan to your account.',
            zh: '本服務未開放線上付款，付費方案請洽營運者開通。',
          })}
        </p>
      )}
      <div class="cards">
        {tiers.value.value?.data.map(tier => (
          <article key={tier.plan_id} class={tier.plan_id === account.plan_id ? 'card mine' : 'card'}>
            <h3>
              {tier.name} {tier.plan_id === account.plan_id && <span class="badge">{say({ en: 'your plan', zh: '目前方案' })}</span>}
            </h3>
            <p class="large">
              {money(tier.price.amount, tier.price.currency)} <small class="dim">{say({ en: 'per month', zh: '／月' })}</small>
            </p>
            <p class="dim">
              {say({
                en: `${number(tier.included_credits)} credits per month, ${number(tier.row_limit)} rows per response, ${number(tier.rate_limits.requests_per_minute)} requests per minute`,
                zh: `每月 ${number(tier.included_credits)} 點，每次讀取最多 ${number(tier.row_limit)} 列，每分鐘最多 ${number(tier.rate_limits.requests_per_minute)} 次請求`,
              })}
            </p>
            {CAN_PAY && !isLive && mine && tier.rank > mine.rank && (
              <button type="button" class="primary" disabled={busy.value} onClick={() => void choose(tier.plan_id)}>
                {say({ en: `Choose ${tier.name}`, zh: `選擇 ${tier.name}` })}
              </button>
            )}
          </article>
        ))}
      </div>
      {account.subscription && !isLive && (
        <p>
          <button type="button" disabled={busy.value} onClick={() => void manage()}>
            {say({ en: 'Invoices and payment method', zh: '帳單與付款方式' })}
          </button>
        </p>
      )}
      <Invoice />
    </section>
  )
}
