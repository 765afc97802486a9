import { useEffect, useRef } from 'preact/hooks'
import { Copy } from './copy.tsx'
import { say } from './language.ts'

const TEXTS = {
  key: {
    label: (name: string) => ({ en: `Key ${name}`, zh: `金鑰 ${name}` }),
    sentence: (name: string) => ({
      en: `The key “${name}”. Copy it now and store it like a password.`,
      zh: `金鑰「${name}」。請立即複製，並比照密碼妥善保管。`,
    }),
    copy: { en: 'Copy the key', zh: '複製金鑰' },
  },
  webhook: {
    label: (name: string) => ({ en: `Secret of ${name}`, zh: `${name} 的密鑰` }),
    sentence: (name: string) => ({
      en: `Messages to “${name}” are signed with this secret. Configure it in the receiving program, and store it like a password.`,
      zh: `送往「${name}」的訊息以此密鑰簽章。請設定於接收程式，並比照密碼妥善保管。`,
    }),
    copy: { en: 'Copy the secret', zh: '複製密鑰' },
  },
} as const

export interface SecretProps {
  readonly name: string
  readonly secret: string
  /** `key` is an API key, `webhook` the signing secret of a webhook. */
  readonly kind?: 'key' | 'webhook'
  readonly onPutAway: () => void
}

const firstRead = (key: string): string => `curl -H 'X-API-Key: ${key}' '${location.origin}/v2/datasets/daily-prices?symbol=2330&limit=5'`

/** Shows a secret until the user hides it. The secret exists only in this page's memory. */
export function Secret({ name, secret, kind = 'key', onPutAway }: SecretProps) {
  const box = useRef<HTMLElement>(null)
  useEffect(() => box.current?.focus(), [])
  return (
    <section class="notice secret" ref={box} tabIndex={-1} aria-label={say(TEXTS[kind].label(name))}>
      <p>{say(TEXTS[kind].sentence(name))}</p>
      <p>
        <code class="whole">{secret}</code>
      </p>
      <p>
        <Copy text={secret} label={say(TEXTS[kind].copy)} />{' '}
        <button type="button" onClick={onPutAway}>
          {say({ en: 'Hide', zh: '隱藏' })}
        </button>
      </p>
      {kind === 'key' && (
        <p>
          {say({ en: 'Read the first rows: ', zh: '讀取第一批資料：' })}
          <code>{firstRead(secret)}</code> <Copy text={firstRead(secret)} label={say({ en: 'Copy the command', zh: '複製指令' })} />
        </p>
      )}
    </section>
  )
}
