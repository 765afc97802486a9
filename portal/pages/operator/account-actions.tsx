import { useSignal } from '@preact/signals'
import type { AccountDetail } from '../../../clients/typescript/src/index.ts'
import { say, type Words } from '../../parts/language.ts'
import { moment } from '../../parts/time.ts'

/**
 * Sends a change of an account.
 *
 * @param path below the account's path, such as `suspend` or `keys/key_…/revoke`
 */
export type ChangeAccount = (path: string, body?: unknown) => Promise<boolean>

interface AccountActionsProps {
  readonly account: AccountDetail
  readonly change: ChangeAccount
}

export function AccountActions({ account, change }: AccountActionsProps) {
  if (account.account_status === 'closed') return <Notes of={account.notes} />
  return (
    <>
      {account.suspension ? (
        <button type="button" onClick={() => void change('restore')}>
          {say({ en: 'Restore the account', zh: '恢復帳戶' })}
        </button>
      ) : (
        <TextForm
          label={{ en: 'Reason, shown to the owner', zh: '原因（會顯示給擁有者）' }}
          button={{ en: 'Suspend', zh: '暫停帳戶' }}
          maxLength={300}
          onSend={reason => change('suspend', { reason })}
        />
      )}
      <OwnLimits key={JSON.stringify(account.own_limits)} of={account.own_limits} change={change} />
      <TextForm
        label={{ en: 'Note for operators', zh: '營運者備註' }}
        button={{ en: 'Add note', zh: '新增備註' }}
        maxLength={2_000}
        onSend={text => change('notes', { text })}
      />
      <Notes of={account.notes} />
    </>
  )
}

const LIMITS: readonly (readonly [name: keyof AccountDetail['own_limits'], least: number, most: number, label: Words])[] = [
  ['row_limit', 1, 100_000, { en: 'Rows per response', zh: '每次讀取列數' }],
  ['requests_per_minute', 1, 100_000, { en: 'Requests a minute', zh: '每分鐘請求數' }],
  ['requests_at_once', 1, 100, { en: 'Concurrent reads', zh: '同時讀取數' }],
  ['credits_per_month', 0, 1_000_000_000, { en: 'Credits a month', zh: '每月點數' }],
]

interface OwnLimitsProps {
  readonly of: AccountDetail['own_limits']
  readonly change: ChangeAccount
}

function OwnLimits({ of: own, change }: OwnLimitsProps) {
  const typed = useSignal<Readonly<Record<string, string>>>(
    Object.fromEntries(Object.entries(own).map(([name, value]) => [name, value === null ? '' : String(value)])),
  )
  const send = () =>
    change('limits', Object.fromEntries(Object.entries(typed.value).map(([name, value]) => [name, value === '' ? null : Number(value)])))
  return (
    <form
      class="row"
      onSubmit={event => {
        event.preventDefault()
        void send()
      }}
    >
      {LIMITS.map(([name, least, most, label]) => (
        <label key={name}>
          {say(label)}
          <input
            type="number"
            min={least}
            max={most}
            step={1}
            placeholder={say({ en: 'plan', zh: '依方案' })}
            value={typed.value[name]}
            onInput={event => (typed.value = { ...typed.value, [name]: event.currentTarget.value })}
          />
        </label>
      ))}
      <button type="submit">{say({ en: 'Set limits', zh: '設定限制' })}</button>
    </form>
  )
}

interface TextFormProps {
  readonly label: Words
  readonly button: Words
  readonly maxLength: number
  readonly onSend: (text: string) => Promise<boolean>
}

function TextForm({ label, button, maxLength, onSend }: TextFormProps) {
  const text = useSignal('')
  const send = async () => {
    if (await onSend(text.value.trim())) text.value = ''
  }
  return (
    <form
      class="row"
      onSubmit={event => {
        event.preventDefault()
        void send()
      }}
    >
      <label>
        {say(label)}
        <input
          type="text"
          autocomplete="off"
          required
          maxLength={maxLength}
          value={text.value}
          onInput={event => (text.value = event.currentTarget.value)}
        />
      </label>
      <button type="submit">{say(button)}</button>
    </form>
  )
}

const Notes = ({ of: notes }: { readonly of: AccountDetail['notes'] }) => (
  <ul class="plain" id="account-notes">
    {notes.map(({ at, author, text }) => (
      <li key={`${at} ${text}`} class="whole">
        {moment(at)}, {author}: {text}
      </li>
    ))}
  </ul>
)
