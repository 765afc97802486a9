import { useEffect, useRef } from 'preact/hooks'
import { say } from '../../parts/language.ts'
import { SectionLinks } from '../../parts/section-links.tsx'
import { Accounts } from './accounts.tsx'
import { concernsOf } from './attention.ts'
import { Damage } from './damage.tsx'
import { Feeds } from './feeds.tsx'
import { Inbox } from './inbox.tsx'
import { Quarantine } from './quarantine.tsx'
import { Queues } from './queues.tsx'
import { Refreshing } from './refreshing.tsx'
import { Releases } from './releases.tsx'
import { SlowReads } from './slow-reads.tsx'
import { isIn, readAt, snapshot, standings } from './state.ts'
import { TokenForm } from './token-form.tsx'

export function OperatorPage() {
  return (
    <>
      <h1>{say({ en: 'Operator', zh: '營運管理' })}</h1>
      {isIn.value ? <Inside /> : <TokenForm />}
    </>
  )
}

const Inside = () => (
  <>
    <Refreshing />
    <Attention />
    <SectionLinks sections={SECTIONS} />
    <Quarantine />
    <Damage />
    <Queues />
    <Inbox />
    <Feeds />
    <Releases />
    <SlowReads />
    <Accounts />
  </>
)

const SECTIONS = [
  ['quarantine', { en: 'Refused files', zh: '遭拒檔案' }],
  ['damage', { en: 'Damage', zh: '損毀' }],
  ['queues', { en: 'Queues', zh: '佇列' }],
  ['inbox', { en: 'Inbox', zh: '收件匣' }],
  ['feeds', { en: 'Feeds', zh: '資料來源' }],
  ['releases', { en: 'Releases', zh: '版本' }],
  ['slow-reads', { en: 'Slow reads', zh: '最慢的讀取' }],
  ['accounts', { en: 'Accounts', zh: '帳戶' }],
] as const

const KIND = {
  broken: { en: 'broken', zh: '異常' },
  decide: { en: 'decision needed', zh: '待決定' },
  watch: { en: 'watch', zh: '留意' },
} as const

function Attention() {
  const concerns = concernsOf(snapshot.value, standings.value)
  const heading = useRef<HTMLHeadingElement>(null)
  // Moves the focus to the heading, because the token input had the focus and was removed.
  useEffect(() => heading.current?.focus(), [])
  return (
    <section id="attention" aria-labelledby="attention-title">
      <h2 id="attention-title" ref={heading} tabIndex={-1}>
        {say({ en: 'Needs attention', zh: '需要處理' })}
      </h2>
      <div role="status">
        {concerns.length > 0 ? (
          <ul class="plain">
            {concerns.map(({ kind, section, words }) => (
              <li key={say(words)} class={`concern ${kind}`}>
                <span class="badge">{say(KIND[kind])}</span> <a href={`#${section}`}>{say(words)}</a>
              </li>
            ))}
          </ul>
        ) : (
          <p class={readAt.value === null ? 'dim' : 'state-fresh'}>
            {readAt.value === null ? '…' : say({ en: 'Nothing needs attention.', zh: '目前沒有需要處理的事項。' })}
          </p>
        )}
      </div>
    </section>
  )
}
