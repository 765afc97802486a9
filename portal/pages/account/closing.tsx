import { useSignal } from '@preact/signals'
import type { Account, ClosedAccount } from '../../../clients/typescript/src/index.ts'
import { ask, type Refused } from '../../api/client.ts'
import { subscriptionWords } from '../../parts/labels.ts'
import { say } from '../../parts/language.ts'
import { Refusal } from '../../parts/refusal.tsx'
import { dayText } from '../../parts/time.ts'
import { closed, firstKey, look, account as mine, stage } from './state.ts'

/** Closing the account: what goes, what stays, and the address typed once more. */
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
    await look()
  }
  return (
    <section id="closing">
      <h2>{say({ en: 'Close the account', zh: '關閉帳戶' })}</h2>
      <details>
        <summary>{say({ en: 'What closing does, and the button', zh: '關閉的影響與按鈕' })}</summary>
        <ul>
          <li>{say({ en: 'Every key is refused from the next request on, and every session ends.', zh: '所有金鑰與登入立即失效。' })}</li>
          <li>
            {say({
              en: 'Your address and the names of keys are erased. A fingerprint of the address stays, so that the free credits of a month are given once.',
              zh: '電子郵件與金鑰名稱將被刪除；僅保留電子郵件的雜湊值，避免重複領取當月免費點數。',
            })}
          </li>
          <li>
            {say({
              en: 'Records of billing and usage stay, under a number without your name.',
              zh: '帳務與用量紀錄依法保留，僅以編號識別。',
            })}
          </li>
          <li>{say({ en: 'It cannot be opened again; the address may begin a new one.', zh: '關閉後無法恢復；同一信箱可重新註冊。' })}</li>
        </ul>
        {account.subscriptions.map(subscription => (
          <p key={subscription.subscription_id} class="notice warn">
            {say({
              en: `Your subscription to ${subscription.plan_id} (${subscriptionWords(subscription.status).en}, paid until ${dayText(subscription.current_period_end)}) goes on at the payment provider, and is billed again unless you cancel it there. Cancel it first under “Plan and billing”.`,
              zh: `您的 ${subscription.plan_id} 訂閱（${subscriptionWords(subscription.status).zh}，已付至 ${dayText(subscription.current_period_end)}）會在金流服務繼續並再次扣款。請先於「方案與帳務」取消。`,
            })}
          </p>
        ))}
        <form onSubmit={close}>
          <p>
            <label>
              {say({ en: `To close it, type ${account.email}`, zh: `請輸入 ${account.email} 以確認關閉` })}
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
            {say({ en: 'Close the account for good', zh: '永久關閉帳戶' })}
          </button>
        </form>
        <Refusal of={refused.value} />
      </details>
    </section>
  )
}

/** What is left to say once the account is closed. */
export function Gone({ api_keys_revoked: keys, billing }: ClosedAccount) {
  return (
    <section class="notice" role="status" id="gone">
      <h2>{say({ en: 'The account is closed', zh: '帳戶已關閉' })}</h2>
      <p>
        {say({
          en: `${keys} ${keys === 1 ? 'key was' : 'keys were'} revoked. Records of billing and usage stay, without your name.`,
          zh: `已撤銷 ${keys} 把金鑰。帳務與用量紀錄保留，不含您的姓名與信箱。`,
        })}
      </p>
      {billing.subscriptions.map(subscription => (
        <div key={subscription.subscription_id}>
          <p>
            {subscription.cancel_at_period_end
              ? say({
                  en: `The subscription to ${subscription.plan_id} ends ${dayText(subscription.current_period_end)} and is not billed again.`,
                  zh: `${subscription.plan_id} 訂閱將於 ${dayText(subscription.current_period_end)} 結束，不再扣款。`,
                })
              : say({
                  en: `The subscription to ${subscription.plan_id} goes on, and is billed again until it is cancelled. The button opens the payment provider without signing in, for some minutes; later, sign in here with the same address, and cancel under “Plan and billing”.`,
                  zh: `${subscription.plan_id} 訂閱仍在繼續，取消前會再次扣款。按鈕可在數分鐘內免登入前往金流服務；逾時請以同一信箱重新登入，於「方案與帳務」取消。`,
                })}
          </p>
          {subscription.portal_url ? (
            <p>
              <a class="button primary" href={subscription.portal_url}>
                {say({ en: 'Cancel it at the payment provider', zh: '前往金流服務取消' })}
              </a>
            </p>
          ) : (
            <p>{say({ en: 'The payment provider did not answer just now.', zh: '金流服務目前沒有回應。' })}</p>
          )}
        </div>
      ))}
    </section>
  )
}
