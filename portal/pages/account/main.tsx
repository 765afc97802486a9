import '../../style/account.css'
import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { forget } from '../../api/use.ts'
import { say } from '../../parts/language.ts'
import { mount } from '../../parts/mount.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import { RefusedRead } from '../../parts/refused-read.tsx'
import { Secret } from '../../parts/secret.tsx'
import { SectionLinks } from '../../parts/section-links.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { Closing, Gone } from './closing.tsx'
import { Credits } from './credits.tsx'
import { Keys } from './keys.tsx'
import { Plan } from './plan.tsx'
import { Settings } from './settings.tsx'
import { SignIn } from './sign-in.tsx'
import { account, closed, firstKey, isProving, loadAccount, signOut, stage, trouble } from './state.ts'
import { Usage } from './usage.tsx'
import { Webhooks } from './webhooks.tsx'

const SECTIONS = [
  ['keys', { en: 'Keys', zh: '金鑰' }],
  ['usage', { en: 'Usage', zh: '用量' }],
  ['webhooks', { en: 'Webhooks', zh: 'Webhook' }],
  ['plan', { en: 'Plan and billing', zh: '方案與帳務' }],
  ['settings', { en: 'Settings', zh: '設定' }],
  ['closing', { en: 'Close', zh: '關閉' }],
] as const

type SectionId = (typeof SECTIONS)[number][0]

const sectionInAddress = (): SectionId | undefined => SECTIONS.find(([id]) => `#${id}` === location.hash)?.[0]

/** Returns the section in the address, such as `#usage`. Each change clears cached answers. */
function useSection(): Signal<SectionId> {
  const section = useSignal<SectionId>(sectionInAddress() ?? 'keys')
  useEffect(() => {
    const follow = () => {
      forget()
      // Other anchors, such as the skip link, do not change the section.
      section.value = sectionInAddress() ?? (location.hash === '' ? 'keys' : section.value)
    }
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return section
}

function AccountPage() {
  return (
    <>
      <h1>{say({ en: 'Account', zh: '帳戶' })}</h1>
      {stage.value === 'asking' && <Skeleton />}
      {stage.value === 'unknown' && trouble.value && (
        <RefusedRead refused={trouble.value} plan={undefined} onRetry={() => void loadAccount()} />
      )}
      {closed.value && <Gone {...closed.value} />}
      {firstKey.value && <Secret name={firstKey.value.name} secret={firstKey.value.api_key} onPutAway={() => (firstKey.value = null)} />}
      {stage.value === 'nobody' && <Welcome />}
      {stage.value === 'signed_in' && <Inside />}
    </>
  )
}

function Welcome() {
  return (
    <div class="welcome">
      <section class="card">
        <h2>{say({ en: 'Sign in or sign up', zh: '登入或註冊' })}</h2>
        <p>
          {say({
            en: 'No password: you receive a code by e-mail. The first sign-in creates an account on the free plan, with a key.',
            zh: '免密碼，以電子郵件驗證碼登入。首次登入即建立免費帳戶並取得金鑰。',
          })}
        </p>
        <SignIn />
      </section>
      <section>
        <h2>{say({ en: 'Included in an account', zh: '帳戶功能' })}</h2>
        <ul>
          <li>
            {say({ en: 'Keys for programs: curl, Python, R, Excel, DuckDB.', zh: '供程式使用的金鑰：curl、Python、R、Excel、DuckDB。' })}
          </li>
          <li>{say({ en: '1,000 free credits every month; more with a paid plan.', zh: '每月免費 1,000 點，付費方案更多。' })}</li>
          <li>{say({ en: 'A ledger of every charged read.', zh: '逐筆計費明細。' })}</li>
        </ul>
        <p class="dim">
          {say({
            en: 'Your address is used only for sign-in, invoices and notices. One strictly necessary cookie keeps you signed in.',
            zh: '電子郵件僅用於登入、帳單與通知；僅使用一個維持登入所必需的 Cookie。',
          })}
        </p>
      </section>
    </div>
  )
}

function Inside() {
  const section = useSection().value
  // The browser scrolled to the anchor before this section existed. The page therefore scrolls
  // again.
  useEffect(() => {
    if (sectionInAddress()) document.querySelector('.sections')?.scrollIntoView()
  }, [account.value === null])
  if (!account.value) return trouble.value && <RefusedRead refused={trouble.value} plan={undefined} onRetry={() => void loadAccount()} />
  const { email, suspension } = account.value
  return (
    <>
      <p class="row">
        <span>
          {say({ en: 'Signed in as ', zh: '已登入：' })}
          <b>{email}</b>
        </span>
        <button type="button" onClick={() => void signOut()}>
          {say({ en: 'Sign out', zh: '登出' })}
        </button>
      </p>
      <Refusal refused={trouble.value} />
      {suspension && (
        <p class="notice warn whole" role="alert">
          {say({
            en: `The operator suspended this account. Reason: ${suspension.reason}. Reads are refused until it is restored.`,
            zh: `營運者已暫停此帳戶。原因：${suspension.reason}。恢復之前，所有讀取均遭拒。`,
          })}
        </p>
      )}
      {isProving.value && (
        <section class="card" id="proving">
          <h2>{say({ en: 'Sign in again to see secrets', zh: '重新登入以顯示金鑰' })}</h2>
          <SignIn address={email} />
        </section>
      )}
      <Credits {...account.value} />
      <SectionLinks sections={SECTIONS} current={section} />
      {/* These sections stay rendered, because they may show a secret. The others load new values
          each time. */}
      <div hidden={section !== 'keys'}>
        <Keys />
      </div>
      <div hidden={section !== 'webhooks'}>
        <Webhooks />
      </div>
      {section === 'usage' && <Usage />}
      {section === 'plan' && <Plan account={account.value} />}
      {section === 'settings' && <Settings account={account.value} />}
      {section === 'closing' && <Closing account={account.value} />}
    </>
  )
}

mount(AccountPage)
void loadAccount()
