import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { AccountEntry, AccountList } from '../../../clients/typescript/src/index.ts'
import type { Refused } from '../../api/client.ts'
import { number, planName, say } from '../../parts/language.ts'
import { Refusal } from '../../parts/refusal.tsx'
import { Scroll } from '../../parts/scroll.tsx'
import { dayText, moment } from '../../parts/time.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { AccountCard } from './account-card.tsx'
import { Nothing } from './section.tsx'
import { askOperator } from './state.ts'
import { ACCOUNT_STATUS } from './words.ts'

const PAGE_ROWS = 50

/** Searches customer accounts, and shows one. The list is loaded only on request. */
export function Accounts() {
  const [text, status] = [useSignal(''), useSignal('')]
  const [entries, next] = [useSignal<readonly AccountEntry[] | null>(null), useSignal<string | null>(null)]
  const refused = useSignal<Refused | null>(null)
  const open = useUrlState('account', '')
  const heading = useRef<HTMLHeadingElement>(null)
  const load = async (before: string | null) => {
    const search = text.value.trim()
    const answer = await askOperator<AccountList>({
      path: 'accounts',
      query: { status: status.value, before, limit: PAGE_ROWS },
      headers: search === '' ? {} : { 'x-account-search': search },
    })
    refused.value = answer.ok ? null : answer.refused
    if (!answer.ok) return
    entries.value = [...(before === null ? [] : (entries.value ?? [])), ...answer.body.data]
    next.value = answer.body.next_before
  }
  useEffect(() => void load(null), [])
  const close = () => {
    open.value = ''
    heading.current?.focus()
  }
  return (
    <section id="accounts" aria-labelledby="accounts-title">
      <h2 id="accounts-title" ref={heading} tabIndex={-1}>
        {say({ en: 'Accounts', zh: '帳戶' })}
      </h2>
      <form
        class="row"
        onSubmit={event => {
          event.preventDefault()
          void load(null)
        }}
      >
        <label>
          {say({ en: 'Address, account, key or customer', zh: '電子郵件、帳戶、金鑰或付款客戶' })}
          <input
            type="search"
            id="account-search"
            autocomplete="off"
            maxLength={254}
            pattern="[ -~]*"
            value={text.value}
            onInput={event => (text.value = event.currentTarget.value)}
          />
        </label>
        <label>
          {say({ en: 'Status', zh: '狀態' })}
          <select value={status.value} onChange={event => (status.value = event.currentTarget.value)}>
            <option value="">{say({ en: 'all', zh: '全部' })}</option>
            {(Object.keys(ACCOUNT_STATUS) as (keyof typeof ACCOUNT_STATUS)[]).map(name => (
              <option key={name} value={name}>
                {say(ACCOUNT_STATUS[name])}
              </option>
            ))}
          </select>
        </label>
        <button type="submit">{say({ en: 'Search', zh: '搜尋' })}</button>
      </form>
      <Refusal refused={refused.value} />
      {open.value !== '' && <AccountCard key={open.value} id={open.value} onClose={close} onChanged={() => void load(null)} />}
      {entries.value?.length === 0 && <Nothing>{say({ en: 'No account matches.', zh: '沒有符合的帳戶。' })}</Nothing>}
      {entries.value !== null && entries.value.length > 0 && (
        <Scroll label={say({ en: 'Accounts', zh: '帳戶' })}>
          <table>
            <thead>
              <tr>
                <th>{say({ en: 'Address', zh: '電子郵件' })}</th>
                <th>{say({ en: 'Status', zh: '狀態' })}</th>
                <th>{say({ en: 'Plan', zh: '方案' })}</th>
                <th class="number">{say({ en: 'Keys', zh: '金鑰' })}</th>
                <th>{say({ en: 'Last read', zh: '最近讀取' })}</th>
                <th>{say({ en: 'Created', zh: '建立' })}</th>
                <th>{say({ en: 'Account', zh: '帳戶' })}</th>
              </tr>
            </thead>
            <tbody>
              {entries.value.map(entry => (
                <Row
                  key={entry.account_id}
                  of={entry}
                  isOpen={entry.account_id === open.value}
                  onOpen={() => (open.value = entry.account_id)}
                />
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      {next.value !== null && (
        <button type="button" onClick={() => void load(next.value)}>
          {say({ en: 'Show older accounts', zh: '顯示較早的帳戶' })}
        </button>
      )}
    </section>
  )
}

interface RowProps {
  readonly of: AccountEntry
  readonly isOpen: boolean
  readonly onOpen: () => void
}

function Row({
  of: { account_id: id, email, account_status: status, plan_id: plan, active_keys: keys, last_used_at: used, created_at: created },
  isOpen,
  onOpen,
}: RowProps) {
  return (
    <tr>
      <th scope="row">
        <button type="button" class="small" aria-expanded={isOpen} onClick={onOpen}>
          {email ?? say({ en: 'no address', zh: '無電子郵件' })}
        </button>
      </th>
      <td>
        <span class={status === 'active' ? 'state-fresh' : 'state-late'}>{say(ACCOUNT_STATUS[status])}</span>
      </td>
      <td>{planName(plan)}</td>
      <td class="number">{number(keys)}</td>
      <td>{moment(used)}</td>
      <td>{dayText(created)}</td>
      <td>
        <code>{id}</code>
      </td>
    </tr>
  )
}
