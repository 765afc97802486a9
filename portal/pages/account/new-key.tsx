import { useSignal } from '@preact/signals'
import type { IssuedKey } from '../../../clients/typescript/src/index.ts'
import { ask, type Refused } from '../../api/client.ts'
import { say } from '../../parts/language.ts'
import { Refusal } from '../../parts/refusal.tsx'
import { SignInAgain } from './sign-in-again.tsx'
import { KEYS_PATH } from './state.ts'

/** Days until a key expires. An empty text means never. */
const EXPIRIES = ['', '30', '90', '365'] as const

export function NewKey({ onMade }: { readonly onMade: (key: IssuedKey) => void }) {
  const [name, days, refused, busy] = [useSignal(''), useSignal(''), useSignal<Refused | null>(null), useSignal(false)]
  const make = async (event: Event) => {
    event.preventDefault()
    busy.value = true
    const answer = await ask<IssuedKey>({
      path: KEYS_PATH,
      method: 'POST',
      body: { name: name.value.trim(), expires_in_days: days.value === '' ? null : Number(days.value) },
    })
    busy.value = false
    refused.value = answer.ok ? null : answer.refused
    if (!answer.ok) return
    name.value = ''
    onMade(answer.body)
  }
  return (
    <form class="row" onSubmit={make}>
      <label>
        {say({ en: 'Name of the new key', zh: '新金鑰名稱' })}
        <input
          required
          maxLength={64}
          placeholder={say({ en: 'notebook', zh: '研究用' })}
          value={name.value}
          onInput={event => (name.value = event.currentTarget.value)}
        />
      </label>
      <label>
        {say({ en: 'Expires', zh: '到期' })}
        <select value={days.value} onChange={event => (days.value = event.currentTarget.value)}>
          {EXPIRIES.map(days => (
            <option key={days} value={days}>
              {days === '' ? say({ en: 'never', zh: '永久有效' }) : say({ en: `in ${days} days`, zh: `${days} 日後` })}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" disabled={busy.value}>
        {say({ en: 'Create', zh: '建立' })}
      </button>
      <Refusal refused={refused.value}>{refused.value?.code === 'reauth_required' && <SignInAgain />}</Refusal>
    </form>
  )
}
