import type { Key } from '../../../clients/typescript/src/index.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { say } from '../../parts/language.ts'
import { Scroll } from '../../parts/scroll.tsx'
import { moment } from '../../parts/time.ts'
import type { ChangeAccount } from './account-actions.tsx'
import { KEY_STATUS } from './words.ts'

interface AccountKeysProps {
  readonly keys: readonly Key[]
  readonly change: ChangeAccount
  readonly onRotate: (keyId: string) => void
}

const HEADS = {
  status: { en: 'Status', zh: '狀態' },
  created: { en: 'Created', zh: '建立' },
  used: { en: 'Last read', zh: '最近讀取' },
} as const

export function AccountKeys({ keys, change, onRotate }: AccountKeysProps) {
  if (keys.length === 0) return null
  return (
    <Scroll label={say({ en: 'Keys', zh: '金鑰' })}>
      <table class="stacked">
        <thead>
          <tr>
            <th>{say({ en: 'Key', zh: '金鑰' })}</th>
            <th>{say(HEADS.status)}</th>
            <th>{say(HEADS.created)}</th>
            <th>{say(HEADS.used)}</th>
            <th />
          </tr>
        </thead>
        <tbody>
          {keys.map(({ key_id: id, name, last4, status, created_at: created, last_used_at: used }) => (
            <tr key={id}>
              <th scope="row">
                {name} <code>…{last4}</code>
              </th>
              <td data-head={say(HEADS.status)}>{say(KEY_STATUS[status])}</td>
              <td data-head={say(HEADS.created)}>{moment(created)}</td>
              <td data-head={say(HEADS.used)}>{moment(used)}</td>
              <td class="acts">
                {status === 'active' && (
                  <>
                    <Confirm
                      label={say({ en: 'Replace', zh: '更換' })}
                      about={say({ en: `Replace ${name}`, zh: `更換 ${name}` })}
                      question={say({
                        en: `Replace “${name}”? The former key stays valid for 24 hours.`,
                        zh: `更換「${name}」？舊金鑰於 24 小時內仍有效。`,
                      })}
                      yes={say({ en: 'Yes, replace', zh: '確定更換' })}
                      onYes={() => onRotate(id)}
                    />{' '}
                    <Confirm
                      label={say({ en: 'Revoke', zh: '撤銷' })}
                      about={say({ en: `Revoke ${name}`, zh: `撤銷 ${name}` })}
                      question={say({ en: `Revoke “${name}” permanently?`, zh: `永久撤銷「${name}」？` })}
                      yes={say({ en: 'Yes, revoke', zh: '確定撤銷' })}
                      onYes={() => void change(`keys/${encodeURIComponent(id)}/revoke`)}
                    />
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
