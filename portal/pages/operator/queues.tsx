import { number, say } from '../../parts/language.ts'
import { Quoted } from '../../parts/quoted.tsx'
import { ago, moment } from '../../parts/time.ts'
import { Section } from './section.tsx'
import type { Sections } from './sections.ts'

/** Shows unfinished usage records, mails, payment events and webhook messages. */
export function Queues() {
  return (
    <Section name="queues" title={{ en: 'Queues', zh: '佇列' }}>
      {({ ledger, mail, payment_events: events, webhooks }) => (
        <div class="cards">
          <div class="card">
            <h3>{say({ en: 'Ledger', zh: '待入帳用量' })}</h3>
            <p class="large">{number(ledger.owed)}</p>
            <p class="dim">{say({ en: 'answered reads not in the ledger yet', zh: '筆已回應、尚未入帳的用量' })}</p>
          </div>
          <div class="card">
            <h3>{say({ en: 'Mail', zh: '郵件' })}</h3>
            <p class="large">{number(mail.waiting)}</p>
            <p class="dim">
              {say({
                en: `waiting: ${number(mail.codes)} sign-in codes, ${number(mail.notices)} notices`,
                zh: `封待寄：驗證碼 ${number(mail.codes)}、通知 ${number(mail.notices)}`,
              })}
            </p>
            <Facts {...mail} />
            <dl>
              <dt>{say({ en: 'Sent', zh: '已寄出' })}</dt>
              <dd>{number(mail.sent)}</dd>
              <dt>{say({ en: 'Failed', zh: '已放棄' })}</dt>
              <dd>{number(mail.given_up)}</dd>
            </dl>
            <p class="dim">{say({ en: 'The last two figures cover the last day.', zh: '後兩項為最近一日。' })}</p>
          </div>
          <div class="card">
            <h3>{say({ en: 'Payment events', zh: '付款事件' })}</h3>
            <p class="large">{number(events.waiting)}</p>
            <p class="dim">{say({ en: 'not applied yet', zh: '筆尚未處理' })}</p>
            <Facts {...events} />
          </div>
          <div class="card">
            <h3>{say({ en: 'Webhooks', zh: 'Webhook' })}</h3>
            <p class="large">{number(webhooks.waiting)}</p>
            <p class="dim">
              {say({
                en: `messages waiting; of ${number(webhooks.endpoints)} endpoints, ${number(webhooks.failing)} fail and ${number(webhooks.disabled)} are disabled`,
                zh: `則訊息待送；${number(webhooks.endpoints)} 個端點中，${number(webhooks.failing)} 個失敗、${number(webhooks.disabled)} 個已停用`,
              })}
            </p>
            <Facts {...webhooks} last_error={null} />
          </div>
        </div>
      )}
    </Section>
  )
}

function Facts({ waiting, attempts, oldest_at: oldest, next_at: next, last_error: error }: Sections['queues']['payment_events']) {
  if (waiting === 0) return null
  return (
    <dl>
      <dt>{say({ en: 'Oldest', zh: '最早' })}</dt>
      <dd>
        {moment(oldest)} {oldest && `(${ago(oldest)})`}
      </dd>
      <dt>{say({ en: 'Next attempt', zh: '下次嘗試' })}</dt>
      <dd>{moment(next)}</dd>
      <dt>{say({ en: 'Most attempts', zh: '最多嘗試次數' })}</dt>
      <dd>{number(attempts)}</dd>
      <dt>{say({ en: 'Last error', zh: '最近錯誤' })}</dt>
      <dd>{error === null ? '–' : <Quoted text={error} />}</dd>
    </dl>
  )
}
