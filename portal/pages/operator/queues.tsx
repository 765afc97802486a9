import type { VNode } from 'preact'
import { number, say, type Words } from '../../parts/language.ts'
import { Quoted } from '../../parts/quoted.tsx'
import { ago, moment } from '../../parts/time.ts'
import { Nothing, Section } from './section.tsx'
import type { Sections } from './sections.ts'

/** Shows unfinished usage records, mails, payment events and webhook messages. */
export function Queues() {
  return (
    <Section name="queues" title={{ en: 'Queues', zh: '佇列' }}>
      {queues => {
        const shown = CARDS.filter(({ isEmpty }) => !isEmpty(queues))
        return (
          <>
            {shown.length > 0 && (
              <div class="cards">
                {shown.map(({ title, Body }) => (
                  <div key={title.en} class="card">
                    <h3>{say(title)}</h3>
                    <Body {...queues} />
                  </div>
                ))}
              </div>
            )}
            {shown.length < CARDS.length && <Nothing>{emptyText(CARDS.filter(card => !shown.includes(card)))}</Nothing>}
          </>
        )
      }}
    </Section>
  )
}

interface QueueCard {
  readonly title: Words
  /** True if nothing waits or has failed. */
  readonly isEmpty: (queues: Sections['queues']) => boolean
  readonly Body: (queues: Sections['queues']) => VNode
}

const CARDS: readonly QueueCard[] = [
  {
    title: { en: 'Ledger', zh: '待入帳用量' },
    isEmpty: ({ ledger }) => ledger.owed === 0,
    Body: ({ ledger }) => (
      <>
        <p class="large">{number(ledger.owed)}</p>
        <p class="dim">{say({ en: 'answered reads not in the ledger yet', zh: '筆已回應、尚未入帳的用量' })}</p>
      </>
    ),
  },
  {
    title: { en: 'Mail', zh: '郵件' },
    isEmpty: ({ mail }) => mail.waiting === 0 && mail.given_up === 0,
    Body: ({ mail }) => (
      <>
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
      </>
    ),
  },
  {
    title: { en: 'Payment events', zh: '付款事件' },
    isEmpty: ({ payment_events: events }) => events.waiting === 0,
    Body: ({ payment_events: events }) => (
      <>
        <p class="large">{number(events.waiting)}</p>
        <p class="dim">{say({ en: 'not applied yet', zh: '筆尚未處理' })}</p>
        <Facts {...events} />
      </>
    ),
  },
  {
    title: { en: 'Webhooks', zh: 'Webhook' },
    isEmpty: ({ webhooks }) => webhooks.waiting + webhooks.failing + webhooks.disabled === 0,
    Body: ({ webhooks }) => (
      <>
        <p class="large">{number(webhooks.waiting)}</p>
        <p class="dim">
          {say({
            en: `messages waiting; of ${number(webhooks.endpoints)} endpoints, ${number(webhooks.failing)} fail and ${number(webhooks.disabled)} are disabled`,
            zh: `則訊息待送；${number(webhooks.endpoints)} 個端點中，${number(webhooks.failing)} 個失敗、${number(webhooks.disabled)} 個已停用`,
          })}
        </p>
        <Facts {...webhooks} last_error={null} />
      </>
    ),
  },
]

function emptyText(empty: readonly QueueCard[]): string {
  if (empty.length === CARDS.length) return say({ en: 'All queues are empty.', zh: '所有佇列皆無待處理項目。' })
  const titles = empty.map(({ title }) => say(title))
  return say({ en: `Empty: ${titles.join(', ')}.`, zh: `無待處理項目：${titles.join('、')}。` })
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
