import { useSignal } from '@preact/signals'
import type { Account } from '../../../clients/typescript/src/index.ts'
import { ask, type Refused } from '../../api/client.ts'
import { say } from '../../parts/language.ts'
import { Refusal } from '../../parts/refusal.tsx'
import { account as mine } from './state.ts'

export function Settings({ account }: { readonly account: Account }) {
  const [refused, message] = [useSignal<Refused | null>(null), useSignal('')]
  const choose = async (isOn: boolean) => {
    const answer = await ask<Account['settings']>({ path: '/v2/self-serve/settings', method: 'POST', body: { credit_mails: isOn } })
    refused.value = answer.ok ? null : answer.refused
    if (!answer.ok) return
    mine.value = { ...account, settings: answer.body }
    message.value = say({ en: 'Saved.', zh: '已儲存。' })
  }
  return (
    <section id="settings">
      <h2>{say({ en: 'Settings', zh: '設定' })}</h2>
      <p>
        <label>
          <input type="checkbox" checked={account.settings.credit_mails} onChange={event => void choose(event.currentTarget.checked)} />{' '}
          {say({
            en: 'E-mail me when 80% and 100% of the month’s credits are used',
            zh: '本月點數用至 80% 與 100% 時，以電子郵件通知',
          })}
        </label>{' '}
        <span role="status" class="dim">
          {message.value}
        </span>
      </p>
      <Refusal refused={refused.value} />
    </section>
  )
}
