import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { WebhookEndpoint, WebhookEndpoints, WebhookSecret, WebhookWithSecret } from '../../../clients/typescript/src/index.ts'
import { useTitles } from '../../api/catalog.ts'
import { ask, type Refused } from '../../api/client.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { linkTo, say } from '../../parts/language.ts'
import { Refusal } from '../../parts/refusal.tsx'
import { Scroll } from '../../parts/scroll.tsx'
import { Secret } from '../../parts/secret.tsx'
import { moment } from '../../parts/time.ts'
import { Deliveries } from './deliveries.tsx'
import { eventName, NewWebhook } from './new-webhook.tsx'
import { SignInAgain } from './sign-in-again.tsx'
import { WEBHOOKS_PATH } from './state.ts'

const STATUS = {
  enabled: { en: 'on', zh: '啟用' },
  owner: { en: 'off', zh: '已停用' },
  gone: { en: 'off: endpoint answered 410', zh: '已停用：回應 410' },
  failing: { en: 'off: no successful delivery for 5 days', zh: '已停用：連續 5 日傳送失敗' },
  operator: { en: 'off: disabled by the operator', zh: '已停用：由營運者停用' },
} as const

const HEADS = {
  events: { en: 'Events', zh: '通知事件' },
  status: { en: 'Status', zh: '狀態' },
  waiting: { en: 'Waiting', zh: '待送' },
} as const

/** Lists webhook endpoints, and creates, tests, disables and enables them. */
export function Webhooks() {
  const [list, allowed] = [useSignal<readonly WebhookEndpoint[]>([]), useSignal(0)]
  const [shown, looked] = [useSignal<WebhookSecret | WebhookWithSecret | null>(null), useSignal<string | null>(null)]
  const [refused, message, tests] = [useSignal<Refused | null>(null), useSignal(''), useSignal(0)]
  const read = async () => {
    const answer = await ask<WebhookEndpoints>({ path: WEBHOOKS_PATH })
    if (!answer.ok) refused.value = answer.refused
    else [list.value, allowed.value] = [answer.body.data, answer.body.allowed]
  }
  useEffect(() => void read(), [])
  const titleBy = useTitles()
  /**
   * Sends a request about an endpoint.
   *
   * @returns the body. Null if the request was refused
   */
  const about = async <T,>(hook: WebhookEndpoint, method: 'GET' | 'POST' | 'DELETE', path = '', body?: object): Promise<T | null> => {
    message.value = ''
    const answer = await ask<T>({ path: `${WEBHOOKS_PATH}/${hook.webhook_id}${path}`, method, ...(body && { body }) })
    refused.value = answer.ok ? null : answer.refused
    return answer.ok ? answer.body : null
  }
  const show = async (hook: WebhookEndpoint, path: '/reveal' | '/rotate') => {
    shown.value = null
    shown.value = await about<WebhookSecret | WebhookWithSecret>(hook, path === '/reveal' ? 'GET' : 'POST', path)
    if (path === '/rotate') void read()
  }
  const test = async (hook: WebhookEndpoint) => {
    if (!(await about(hook, 'POST', '/test'))) return
    message.value = say({ en: 'Test event sent.', zh: '測試事件已送出。' })
    looked.value = hook.webhook_id
    tests.value++
  }
  const turn = async (hook: WebhookEndpoint, enabled: boolean) => void ((await about(hook, 'POST', '', { enabled })) && read())
  const remove = async (hook: WebhookEndpoint) => {
    if (!(await about(hook, 'DELETE'))) return
    if (shown.value?.webhook_id === hook.webhook_id) shown.value = null
    if (looked.value === hook.webhook_id) looked.value = null
    void read()
  }
  const secretOf = list.value.find(({ webhook_id }) => webhook_id === shown.value?.webhook_id)
  return (
    <section id="webhooks">
      <h2>{say({ en: 'Webhooks', zh: 'Webhook' })}</h2>
      <p class="dim">
        {say({
          en: `Signed messages notify your program of new, revised and overdue data. Your plan allows ${allowed.value} active ${allowed.value === 1 ? 'webhook' : 'webhooks'}.`,
          zh: `資料新增、修訂或逾期時，以簽章訊息通知您的程式。此方案最多可啟用 ${allowed.value} 個。`,
        })}{' '}
        <a href={linkTo('/docs/webhooks')}>{say({ en: 'Guide to webhooks', zh: 'Webhook 使用說明' })}</a>
      </p>
      {shown.value && (
        <Secret
          key={shown.value.secret}
          name={secretOf?.description || (secretOf?.url ?? '')}
          secret={shown.value.secret}
          kind="webhook"
          onPutAway={() => (shown.value = null)}
        />
      )}
      <Refusal refused={refused.value}>{refused.value?.code === 'reauth_required' && <SignInAgain />}</Refusal>
      <p role="status">{message.value}</p>
      <NewWebhook
        onMade={made => {
          shown.value = made
          looked.value = made.webhook_id
          void read()
        }}
      />
      {list.value.length > 0 && (
        <Scroll label={say({ en: 'Webhooks', zh: 'Webhook' })}>
          <table class="stacked">
            <thead>
              <tr>
                <th>{say({ en: 'Address', zh: '網址' })}</th>
                <th>{say(HEADS.events)}</th>
                <th>{say(HEADS.status)}</th>
                <th>{say(HEADS.waiting)}</th>
                <th />
              </tr>
            </thead>
            <tbody>
              {list.value.map(hook => (
                <tr key={hook.webhook_id}>
                  <th scope="row">
                    {hook.url}
                    {hook.description && <div class="dim">{hook.description}</div>}
                  </th>
                  <td class="wraps" data-head={say(HEADS.events)}>
                    {[...hook.events.map(eventName), ...hook.datasets.map(titleBy)].join(say({ en: ', ', zh: '、' }))}
                    {hook.symbols.length > 0 &&
                      say({ en: `; symbols: ${hook.symbols.join(', ')}`, zh: `；代號：${hook.symbols.join('、')}` })}
                  </td>
                  <td data-head={say(HEADS.status)}>
                    {say(STATUS[hook.disabled_reason ?? 'enabled'])}
                    {hook.over_limit && (
                      <div class="dim">
                        {say({
                          en: `inactive: the plan allows ${allowed.value} webhooks, older ones first`,
                          zh: `暫不傳送：此方案最多啟用 ${allowed.value} 個，以較早建立者優先`,
                        })}
                      </div>
                    )}
                    {hook.failing_since && (
                      <div class="dim">
                        {say({ en: `failing since ${moment(hook.failing_since)}`, zh: `自 ${moment(hook.failing_since)} 起失敗` })}
                      </div>
                    )}
                    {hook.held_until && (
                      <div class="dim">
                        {say({
                          en: `paused by the endpoint until ${moment(hook.held_until)}`,
                          zh: `接收端要求暫停至 ${moment(hook.held_until)}`,
                        })}
                      </div>
                    )}
                  </td>
                  <td data-head={say(HEADS.waiting)}>{hook.waiting}</td>
                  <td class="acts wraps">
                    <button type="button" disabled={hook.status === 'disabled'} onClick={() => void test(hook)}>
                      {say({ en: 'Send test', zh: '傳送測試' })}
                    </button>{' '}
                    <button type="button" onClick={() => (looked.value = looked.value === hook.webhook_id ? null : hook.webhook_id)}>
                      {say({ en: 'Messages', zh: '訊息' })}
                    </button>{' '}
                    <button type="button" onClick={() => void show(hook, '/reveal')}>
                      {say({ en: 'Show secret', zh: '顯示密鑰' })}
                    </button>{' '}
                    <button
                      type="button"
                      disabled={hook.disabled_reason === 'operator'}
                      onClick={() => void turn(hook, hook.status === 'disabled')}
                    >
                      {hook.status === 'disabled' ? say({ en: 'Turn on', zh: '啟用' }) : say({ en: 'Turn off', zh: '停用' })}
                    </button>{' '}
                    <Confirm
                      label={say({ en: 'Replace secret', zh: '更換密鑰' })}
                      question={say({
                        en: 'Replace the secret? For 24 hours messages carry signatures of both.',
                        zh: '更換密鑰？24 小時內，訊息會同時附上新、舊密鑰的簽章。',
                      })}
                      yes={say({ en: 'Yes, replace', zh: '確定更換' })}
                      onYes={() => void show(hook, '/rotate')}
                    />{' '}
                    <Confirm
                      label={say({ en: 'Delete', zh: '刪除' })}
                      question={say({ en: 'Delete this webhook and its queued messages?', zh: '刪除此 Webhook 及待送訊息？' })}
                      yes={say({ en: 'Yes, delete', zh: '確定刪除' })}
                      onYes={() => void remove(hook)}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      {looked.value && <Deliveries key={`${looked.value} ${tests.value}`} id={looked.value} />}
    </section>
  )
}
