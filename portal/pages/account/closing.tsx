import { useSignal } from '@preact/signals'
import type { Account, ClosedAccount } from '../../../clients/typescript/src/index.ts'
import { ask, type Refused } from '../../api/client.ts'
import { subscriptionWords } from '../../parts/labels.ts'
import { planName, say } from '../../parts/language.ts'
import { Refusal } from '../../parts/refusal.tsx'
import { dayText } from '../../parts/time.ts'
import { closed, firstKey, loadAccount, account as mine, stage } from './state.ts'

/** Closes the account. The user confirms by typing the e-mail address. */
export function Closing({ account }: { readonly account: Account }) {
  const [typed, refused, busy] = [useSignal(''), useSignal<Refused | null>(null), useSignal(false)]
  const isMeant = typed.value.trim().toLowerCase() === account.email.toLowerCase()
  const close = async (event: Event) => {
    event.preventDefault()
    if (!isMeant) return
    busy.value = true
    const answer = await ask<ClosedAccount>({ path: '/v2/self-serve/account', method: 'DELETE' })
    busy.value = false
    refused.value = answer.ok ? null : answer.refused
    if (!answer.ok) return
    closed.value = answer.body
    stage.value = 'closed'
    mine.value = null
    firstKey.value = null
    await loadAccount()
  }
  return (
    <section id="closing">
      <h2>{say({ en: 'Close the account', zh: '關閉帳戶' })}</h2>
      <details>
        <summary>{say({ en: 'Consequences and confirmation', zh: '關閉的影響與確認' })}</summary>
        <ul>
          <li>{say({ en: 'All keys and sessions are invalid immediately.', zh: '所有金鑰與登入立即失效。' })}</li>
          <li>
            {say({
              en: 'Your e-mail address and the names of your keys are deleted. A hash of the address remains, so that free credits are granted only once a month.',
              zh: '電子郵件與金鑰名稱將被刪除；僅保留電子郵件的雜湊值，避免重複領取當月免費點數。',
            })}
          </li>
          <li>
            {say({
              en: 'Billing and usage records remain, under an account id, without your name.',
              zh: '帳務與用量紀錄依法保留，僅以編號識別。',
            })}
          </li>
          <li>
            {say({
              en: 'A closed account cannot be restored. You can sign up again with the same address.',
              zh: '關閉後無法恢復；可用同一電子郵件重新註冊。',
            })}
          </li>
        </ul>
        {account.subscriptions.map(subscription => (
          <p key={subscription.subscription_id} class="notice warn">
            {say({
              en: `Your subscription to ${planName(subscription.plan_id)} (${subscriptionWords(subscription.status).en}, paid until ${dayText(subscription.current_period_end)}) continues at the payment provider and will be billed again. Cancel it first under “Plan and billing”.`,
              zh: `您的 ${planName(subscription.plan_id)} 訂閱（${subscriptionWords(subscription.status).zh}，已付至 ${dayText(subscription.current_period_end)}）仍有效，將繼續扣款。請先於「方案與帳務」取消。`,
            })}
          </p>
        ))}
        <form onSubmit={close}>
          <p>
            <label>
              {say({ en: `To confirm, type ${account.email}`, zh: `請輸入 ${account.email} 以確認關閉` })}
              <br />
              <input
                type="text"
                autocomplete="off"
                autocapitalize="off"
                spellcheck={false}
                value={typed.value}
                onInput={event => (typed.value = event.currentTarget.value)}
              />
            </label>
          </p>
          <button type="submit" class="danger" disabled={!isMeant || busy.value}>
            {say({ en: 'Close the account permanently', zh: '永久關閉帳戶' })}
          </button>
        </form>
        <Refusal refused={refused.value} />
      </details>
    </section>
  )
}

export function Gone({ api_keys_revoked: keys, billing }: ClosedAccount) {
  return (
    <section class="notice" role="status" id="gone">
      <h2>{say({ en: 'The account is closed', zh: '帳戶已關閉' })}</h2>
      <p>
        {say({
          en: `${keys} ${keys === 1 ? 'key was' : 'keys were'} revoked. Billing and usage records remain, without your name.`,
          zh: `已撤銷 ${keys} 把金鑰。帳務與用量紀錄保留，不含您的姓名與電子郵件。`,
        })}
      </p>
      {billing.subscriptions.map(subscription => (
        <div key={subscription.subscription_id}>
          <p>
            {subscription.cancel_at_period_end
              ? say({
                  en: `The subscription to ${planName(subscription.plan_id)} ends ${dayText(subscription.current_period_end)} and is not billed again.`,
                  zh: `${planName(subscription.plan_id)} 訂閱將於 ${dayText(subscription.current_period_end)} 結束，不再扣款。`,
                })
              : say({
                  en: `Your subscription to ${planName(subscription.plan_id)} continues and will be billed until you cancel it. The button opens the payment provider without sign-in for a few minutes. After that, sign in here with the same address and cancel under “Plan and billing”.`,
                  zh: `${planName(subscription.plan_id)} 訂閱仍有效，取消前將繼續扣款。數分鐘內可由此按鈕免登入前往金流服務；逾時請以同一電子郵件重新登入，於「方案與帳務」取消。`,
                })}
          </p>
          {subscription.portal_url ? (
            <p>
              <a class="button primary" href={subscription.portal_url}>
                {say({ en: 'Cancel at the payment provider', zh: '前往金流服務取消' })}
              </a>
            </p>
          ) : (
            <p>{say({ en: 'No response from the payment provider.', zh: '金流服務目前沒有回應。' })}</p>
          )}
        </div>
      ))}
    </section>
  )
}
