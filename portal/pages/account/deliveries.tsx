import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { WebhookAttempt, WebhookDeliveries, WebhookDelivery } from '../../../clients/typescript/src/index.ts'
import { useTitles } from '../../api/catalog.ts'
import { ask, type Refused } from '../../api/client.ts'
import { sendErrorWords } from '../../parts/labels.ts'
import { linkTo, number, say } from '../../parts/language.ts'
import { Refusal } from '../../parts/refusal.tsx'
import { Scroll } from '../../parts/scroll.tsx'
import { moment } from '../../parts/time.ts'
import { eventName } from './new-webhook.tsx'
import { WEBHOOKS_PATH } from './state.ts'

const STATUS = {
  waiting: { en: 'waiting', zh: '待送' },
  delivered: { en: 'delivered', zh: '已送達' },
  failed: { en: 'failed', zh: '傳送失敗' },
} as const

const HEADS = {
  created: { en: 'Created', zh: '建立時間' },
  state: { en: 'State', zh: '狀態' },
  attempts: { en: 'Attempts', zh: '傳送次數' },
} as const

/** Returns the status of the response, or why there was none. */
const outcomeOf = ({ status, error }: WebhookAttempt): string => (error === null ? `HTTP ${status}` : say(sendErrorWords(error)))

/** Milliseconds between refreshes while the list is empty or messages are queued. */
const REFRESH_MS = 3_000

export function Deliveries({ id }: { readonly id: string }) {
  const [list, refused] = [useSignal<readonly WebhookDelivery[] | null>(null), useSignal<Refused | null>(null)]
  const titleBy = useTitles()
  const path = `${WEBHOOKS_PATH}/${id}/deliveries`
  const read = async () => {
    const answer = await ask<WebhookDeliveries>({ path })
    refused.value = answer.ok ? null : answer.refused
    if (answer.ok) list.value = answer.body.data
  }
  const waits = !list.value?.length || list.value.some(({ status }) => status === 'waiting')
  useEffect(() => {
    void read()
    if (!waits) return
    const timer = setInterval(() => document.hidden || void read(), REFRESH_MS)
    return () => clearInterval(timer)
  }, [waits])
  const resend = async ({ message_id }: WebhookDelivery) => {
    const answer = await ask({ path: `${path}/${message_id}/resend`, method: 'POST' })
    if (answer.ok) void read()
    else refused.value = answer.refused
  }
  return (
    <div id="deliveries">
      <h3>{say({ en: 'Messages of the last 30 days', zh: '近 30 日訊息' })}</h3>
      <Refusal refused={refused.value} />
      {list.value?.length === 0 && <p class="dim">{say({ en: 'None yet. Send a test.', zh: '尚無訊息，可傳送測試。' })}</p>}
      {list.value !== null && list.value.length > 0 && (
        <Scroll label={say({ en: 'Messages', zh: '訊息' })}>
          <table class="stacked">
            <thead>
              <tr>
                <th>{say({ en: 'Event', zh: '事件' })}</th>
                <th>{say(HEADS.created)}</th>
                <th>{say(HEADS.state)}</th>
                <th>{say(HEADS.attempts)}</th>
                <th />
              </tr>
            </thead>
            <tbody>
              {list.value.map(message => (
                <tr key={message.message_id}>
                  <th scope="row">
                    {eventName(message.type)}
                    {message.slug && (
                      <>
                        {say({ en: ': ', zh: '：' })}
                        <a href={linkTo(`/datasets/${message.slug}`)}>{titleBy(message.slug)}</a>
                      </>
                    )}
                    <div class="dim">{message.message_id}</div>
                  </th>
                  <td data-head={say(HEADS.created)}>{moment(message.created_at)}</td>
                  <td data-head={say(HEADS.state)}>
                    {say(STATUS[message.status])}
                    {message.next_at && (
                      <div class="dim">{say({ en: `next ${moment(message.next_at)}`, zh: `下次 ${moment(message.next_at)}` })}</div>
                    )}
                  </td>
                  <td data-head={say(HEADS.attempts)}>
                    {message.attempts.map(attempt => (
                      <div key={attempt.at}>
                        {moment(attempt.at)}
                        {say({ en: ': ', zh: '：' })}
                        {outcomeOf(attempt)} · {number(attempt.ms)} {say({ en: 'ms', zh: '毫秒' })}
                      </div>
                    ))}
                  </td>
                  <td>
                    <button type="button" onClick={() => void resend(message)}>
                      {say({ en: 'Send again', zh: '重新傳送' })}
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </div>
  )
}
