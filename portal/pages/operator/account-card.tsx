import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { AccountDetail, RotatedKey } from '../../../clients/typescript/src/index.ts'
import type { Refused } from '../../api/client.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { subscriptionWords } from '../../parts/labels.ts'
import { number, planName, say } from '../../parts/language.ts'
import { money } from '../../parts/money.ts'
import { Refusal } from '../../parts/refusal.tsx'
import { Secret } from '../../parts/secret.tsx'
import { daysText, dayText, moment } from '../../parts/time.ts'
import { AccountActions, type ChangeAccount } from './account-actions.tsx'
import { AccountKeys } from './account-keys.tsx'
import { askOperator } from './state.ts'
import { ACCOUNT_STATUS, MAIL_STATE } from './words.ts'

interface AccountCardProps {
  readonly id: string
  readonly onClose: () => void
  readonly onChanged: () => void
}

export function AccountCard({ id, onClose, onChanged }: AccountCardProps) {
  const [account, refused] = [useSignal<AccountDetail | null>(null), useSignal<Refused | null>(null)]
  const newKey = useSignal<RotatedKey | null>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const base = `accounts/${encodeURIComponent(id)}`
  const load = async () => {
    const answer = await askOperator<AccountDetail>({ path: base })
    if (answer.ok) account.value = answer.body
    else refused.value = answer.refused
  }
  useEffect(() => {
    void load()
    heading.current?.focus()
  }, [])
  const send = async <T,>(path: string, body?: unknown): Promise<T | null> => {
    const answer = await askOperator<T>({ path: `${base}/${path}`, method: 'POST', body })
    refused.value = answer.ok ? null : answer.refused
    if (!answer.ok) return null
    await load()
    onChanged()
    return answer.body
  }
  const change: ChangeAccount = async (path, body) => (await send(path, body)) !== null
  const rotate = async (keyId: string) => {
    newKey.value = await send<RotatedKey>(`keys/${encodeURIComponent(keyId)}/rotate`, { overlap_hours: 24 })
  }
  return (
    <article class="card" id="account">
      <div class="panel-head">
        <h3 ref={heading} tabIndex={-1}>
          {account.value?.email ?? id}
        </h3>
        <button type="button" onClick={onClose}>
          {say({ en: 'Close this panel', zh: '收起' })}
        </button>
      </div>
      <Refusal refused={refused.value} />
      {newKey.value && <Secret name={newKey.value.key.name} secret={newKey.value.key.api_key} onPutAway={() => (newKey.value = null)} />}
      {account.value && (
        <>
          <Facts of={account.value} />
          <AccountActions account={account.value} change={change} />
          <AccountKeys keys={account.value.keys} change={change} onRotate={keyId => void rotate(keyId)} />
          <Payments of={account.value.payments} />
          <Mails of={account.value.mails} />
          {account.value.account_status !== 'closed' && (
            <Confirm
              label={say({ en: 'Close the account', zh: '關閉帳戶' })}
              question={say({
                en: 'Close the account on behalf of its owner? All keys end, and it cannot be opened again.',
                zh: '代擁有者關閉帳戶？所有金鑰將失效，且無法恢復。',
              })}
              yes={say({ en: 'Yes, close the account', zh: '確定關閉帳戶' })}
              onYes={() => void change('close')}
            />
          )}
        </>
      )}
    </article>
  )
}

function Facts({ of: account }: { readonly of: AccountDetail }) {
  const { credits, rate_limits: rates, usage, suspension } = account
  return (
    <dl>
      <dt>{say({ en: 'Account', zh: '帳戶' })}</dt>
      <dd>
        <code>{account.account_id}</code>
      </dd>
      <dt>{say({ en: 'Status', zh: '狀態' })}</dt>
      <dd id="account-status">
        {say(ACCOUNT_STATUS[account.account_status])}
        {suspension && `, ${moment(suspension.suspended_at)}: ${suspension.reason}`}
      </dd>
      <dt>{say({ en: 'Plan', zh: '方案' })}</dt>
      <dd>
        {planName(account.plan_id)}
        {account.grant && `${grantText(account.grant.expires_at)} ${account.grant.note ?? ''}`}
      </dd>
      <dt>{say({ en: 'Limits', zh: '限制' })}</dt>
      <dd>
        {say({
          en: `${number(account.row_limit)} rows, ${number(rates.requests_per_minute)} requests a minute, ${number(rates.requests_at_once)} concurrent`,
          zh: `每次讀取最多 ${number(account.row_limit)} 列，每分鐘最多 ${number(rates.requests_per_minute)} 次請求，同時最多 ${number(rates.requests_at_once)} 次`,
        })}
      </dd>
      <dt>{say({ en: 'Credits this month', zh: '本月點數' })}</dt>
      <dd>
        {number(credits.used, 0)} / {number(credits.included + credits.granted + credits.refunded, 0)}
      </dd>
      <dt>{say({ en: 'Last 30 days', zh: '最近 30 天' })}</dt>
      <dd>
        {say({
          en: `${number(usage.totals.requests)} reads, ${number(usage.totals.rows)} rows, ${number(usage.totals.errors)} errors`,
          zh: `${number(usage.totals.requests)} 次讀取，${number(usage.totals.rows)} 列，${number(usage.totals.errors)} 次錯誤`,
        })}
      </dd>
      <dt>{say({ en: 'Created', zh: '建立' })}</dt>
      <dd>{moment(account.created_at)}</dd>
      <dt>{say({ en: 'Last sign-in', zh: '最近登入' })}</dt>
      <dd>{moment(account.last_sign_in_at)}</dd>
    </dl>
  )
}

const grantText = (end: string | null): string =>
  end === null
    ? say({ en: ' (granted, no end date)', zh: '（授予，無期限）' })
    : say({ en: ` (granted until ${dayText(end)})`, zh: `（授予至 ${dayText(end)}）` })

function Payments({ of: { customer_id: customer, subscriptions, billed_periods: periods } }: { readonly of: AccountDetail['payments'] }) {
  if (customer === null && subscriptions.length === 0) return null
  return (
    <>
      <h4>{say({ en: 'Payments', zh: '付款' })}</h4>
      <p class="dim">
        <code>{customer}</code>
      </p>
      <ul class="plain">
        {subscriptions.map(one => (
          <li key={one.subscription_id}>
            {planName(one.plan_id)}: {say(subscriptionWords(one.status))}, {dayText(one.current_period_end)}{' '}
            <code>{one.subscription_id}</code>
          </li>
        ))}
        {periods.map(one => (
          <li key={`${one.subscription_id} ${one.from}`}>
            {daysText(dayText(one.from), dayText(one.until))}: {money(one.amount, 'TWD')}
          </li>
        ))}
      </ul>
    </>
  )
}

function Mails({ of: mails }: { readonly of: AccountDetail['mails'] }) {
  if (mails.length === 0) return null
  return (
    <>
      <h4>{say({ en: 'Mails', zh: '郵件' })}</h4>
      <ul class="plain">
        {mails.map(mail => (
          <li key={`${mail.at} ${mail.subject}`}>
            {moment(mail.at)}: {mail.subject} ({say(MAIL_STATE[mail.state])}
            {mail.last_error !== null && `: ${mail.last_error}`})
          </li>
        ))}
      </ul>
    </>
  )
}
