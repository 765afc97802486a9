import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { say } from '../../parts/language.ts'
import { Refusal } from '../../parts/refusal.tsx'
import { enter, isReading, turnedAway } from './state.ts'

/** Printable ASCII without blanks, which a header can contain. */
const TOKEN = /^[\x21-\x7e]+$/

/** The input has no name, so that a form submission can never put the token into a URL. */
export function TokenForm() {
  const box = useRef<HTMLInputElement>(null)
  const isOdd = useSignal(false)
  useEffect(() => box.current?.focus(), [])
  const send = async (event: Event) => {
    event.preventDefault()
    const typed = box.current!.value.trim()
    isOdd.value = !TOKEN.test(typed)
    turnedAway.value = null
    if (!isOdd.value) await enter(typed)
    // Also clears a rejected token.
    if (box.current) {
      box.current.value = ''
      box.current.focus()
    }
  }
  return (
    <section class="card token">
      <h2>{say({ en: 'Admin token', zh: '管理權杖' })}</h2>
      <form class="sign-in" autocomplete="off" onSubmit={event => void send(event)}>
        <p>
          {say({
            en: 'This page shows the state of the service and the refused files. It requires the admin token.',
            zh: '此頁顯示服務狀態並處理遭拒檔案，須以管理權杖開啟。',
          })}
        </p>
        <label for="token">{say({ en: 'Token', zh: '權杖' })}</label>
        <input id="token" ref={box} type="password" required autocomplete="off" spellcheck={false} aria-describedby="token-kept" />
        <button type="submit" class="primary" disabled={isReading.value}>
          {say({ en: 'Open', zh: '開啟' })}
        </button>
        <p id="token-kept" class="dim">
          {say({
            en: 'The token stays in this page’s memory until you leave the page.',
            zh: '權杖只保留在此頁的記憶體中，離開頁面即清除。',
          })}
        </p>
      </form>
      {!window.isSecureContext && (
        <p class="notice warn">
          {say({
            en: 'This page uses plain http, so others on the network can read the token. Use https, or a tunnel to the machine.',
            zh: '此頁使用未加密的 http，網路上的他人可能讀取權杖。請改用 https 或連往主機的通道。',
          })}
        </p>
      )}
      {isOdd.value && (
        <p class="notice warn" role="alert">
          {say({ en: 'A token has only letters, digits and symbols, no spaces.', zh: '權杖只含英數字與符號，不含空白。' })}
        </p>
      )}
      <Refusal refused={turnedAway.value} />
      {(turnedAway.value?.status === 401 || isOdd.value) && <WhereItIs />}
    </section>
  )
}

const WhereItIs = () => (
  <div id="where-it-is">
    <p>{say({ en: 'Where the token is:', zh: '權杖的位置：' })}</p>
    <ul>
      <li>
        {say({ en: 'in the environment of the service, as', zh: '服務的環境變數' })} <code>ADMIN_TOKEN</code>
      </li>
      <li>
        {say({ en: 'if that is not set, in the data folder, in ', zh: '未設定時位於資料夾：' })}
        <code>secrets.json</code>
        {say({ en: ', as', zh: ' 的' })} <code>ADMIN_TOKEN</code>
      </li>
      <li>
        {say({ en: 'for the demo, in ', zh: '示範服務：' })}
        <code>data/demo.json</code>
        {say({ en: ', as', zh: ' 的' })} <code>admin_token</code>
      </li>
    </ul>
    <p class="dim">
      {say({
        en: 'The service token and API keys do not open this page.',
        zh: '服務權杖與 API 金鑰無法開啟此頁。',
      })}
    </p>
  </div>
)
