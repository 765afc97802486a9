import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { IssuedKey, Key } from '../../../clients/typescript/src/index.ts'
import { ask, type Refused } from '../../api/client.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { say } from '../../parts/language.ts'
import { Refusal } from '../../parts/refusal.tsx'
import { Scroll } from '../../parts/scroll.tsx'
import { Secret } from '../../parts/secret.tsx'
import { dayText, moment } from '../../parts/time.ts'
import { NewKey } from './new-key.tsx'
import { ShareProfile } from './share-profile.tsx'
import { SignInAgain } from './sign-in-again.tsx'
import { KEYS_PATH, keys, listKeys } from './state.ts'

const STATUS = {
  active: { en: 'active', zh: '使用中' },
  revoked: { en: 'revoked', zh: '已撤銷' },
  expired: { en: 'expired', zh: '已過期' },
} as const

const HEADS = {
  status: { en: 'Status', zh: '狀態' },
  created: { en: 'Created', zh: '建立時間' },
  used: { en: 'Last used', zh: '最近使用' },
  expires: { en: 'Expires', zh: '到期日' },
} as const

export function Keys() {
  const [shown, refused] = [useSignal<IssuedKey | null>(null), useSignal<Refused | null>(null)]
  const list = async () => {
    const why = await listKeys()
    if (why) refused.value = why
  }
  useEffect(() => void list(), [])
  const reveal = async (key: Key) => {
    shown.value = null
    const answer = await ask<IssuedKey>({ path: `${KEYS_PATH}/${key.key_id}/reveal` })
    refused.value = answer.ok ? null : answer.refused
    if (answer.ok) shown.value = { ...answer.body, name: key.name }
  }
  const revoke = async (key: Key) => {
    const answer = await ask({ path: `${KEYS_PATH}/${key.key_id}/revoke`, method: 'POST' })
    refused.value = answer.ok ? null : answer.refused
    if (shown.value?.key_id === key.key_id) shown.value = null
    void list()
  }
  const take = (key: IssuedKey) => {
    refused.value = null
    shown.value = key
    void list()
  }
  return (
    <section id="keys">
      <h2>{say({ en: 'Keys', zh: '金鑰' })}</h2>
      <p class="dim">
        {say({
          en: 'Programs read data with a key. All keys of an account share its limits and credits.',
          zh: '程式以金鑰讀取資料；同一帳戶的金鑰共用限制與點數。',
        })}
      </p>
      {shown.value && (
        <Secret key={shown.value.key_id} name={shown.value.name} secret={shown.value.api_key} onPutAway={() => (shown.value = null)} />
      )}
      <Refusal refused={refused.value}>{refused.value?.code === 'reauth_required' && <SignInAgain />}</Refusal>
      <NewKey onMade={take} />
      {keys.value.length > 0 && (
        <Scroll label={say({ en: 'Keys', zh: '金鑰' })}>
          <table class="stacked">
            <thead>
              <tr>
                <th>{say({ en: 'Name', zh: '名稱' })}</th>
                <th>{say({ en: 'Key', zh: '金鑰' })}</th>
                <th>{say(HEADS.status)}</th>
                <th>{say(HEADS.created)}</th>
                <th>{say(HEADS.used)}</th>
                <th>{say(HEADS.expires)}</th>
                <th />
              </tr>
            </thead>
            <tbody>
              {keys.value.map(key => (
                <tr key={key.key_id}>
                  <th scope="row">{key.name}</th>
                  <td>
                    <code>
                      {key.prefix}…{key.last4}
                    </code>
                  </td>
                  <td data-head={say(HEADS.status)}>{say(STATUS[key.status])}</td>
                  <td data-head={say(HEADS.created)}>{dayText(key.created_at)}</td>
                  <td data-head={say(HEADS.used)}>{moment(key.last_used_at)}</td>
                  <td data-head={say(HEADS.expires)}>{dayText(key.expires_at)}</td>
                  <td class="acts">
                    {key.status === 'active' && (
                      <>
                        <button type="button" aria-label={about(key, 'show')} onClick={() => void reveal(key)}>
                          {say({ en: 'Show', zh: '顯示' })}
                        </button>{' '}
                        <Confirm
                          label={say({ en: 'Revoke', zh: '撤銷' })}
                          about={about(key, 'revoke')}
                          question={say({ en: `Revoke “${key.name}” permanently?`, zh: `永久撤銷「${key.name}」？` })}
                          yes={say({ en: 'Yes, revoke', zh: '確定撤銷' })}
                          onYes={() => void revoke(key)}
                        />
                      </>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      <ShareProfile keys={keys.value.filter(key => key.status === 'active')} />
    </section>
  )
}

const about = ({ name }: Key, act: 'show' | 'revoke'): string =>
  act === 'show' ? say({ en: `Show ${name}`, zh: `顯示 ${name}` }) : say({ en: `Revoke ${name}`, zh: `撤銷 ${name}` })
