import { useEffect, useRef } from 'preact/hooks'
import { Copy } from './copy.tsx'
import { say } from './language.ts'

const SAID = {
  key: {
    label: (name: string) => ({ en: `Key ${name}`, zh: `金鑰 ${name}` }),
    sentence: (name: string) => ({
      en: `The key “${name}”. Copy it now, and keep it as you keep a password.`,
      zh: `金鑰「${name}」。請立即複製，並如同密碼般妥善保管。`,
    }),
    copy: { en: 'Copy the key', zh: '複製金鑰' },
  },
  webhook: {
    label: (name: string) => ({ en: `Secret of ${name}`, zh: `${name} 的密鑰` }),
    sentence: (name: string) => ({
      en: `Messages to “${name}” are signed with this secret. Give it to the program that receives them, and keep it as you keep a password.`,
      zh: `送往「${name}」的訊息以此密鑰簽章。請交給接收的程式，並如同密碼般妥善保管。`,
    }),
    copy: { en: 'Copy the secret', zh: '複製密鑰' },
  },
} as const

export interface SecretProps {
  readonly name: string
  readonly secret: string
  /** What it is: an API key, or what messages of a webhook are signed with. */
  readonly of?: 'key' | 'webhook'
  readonly onPutAway: () => void
}

/** A secret while it is shown. Only this page's memory has it, until it is put away. */
export function Secret({ name, secret, of = 'key', onPutAway }: SecretProps) {
  const box = useRef<HTMLElement>(null)
  useEffect(() => box.current?.focus(), [])
  return (
    <section class="notice secret" ref={box} tabIndex={-1} aria-label={say(SAID[of].label(name))}>
      <p>{say(SAID[of].sentence(name))}</p>
      <p>
        <code class="whole">{secret}</code>
      </p>
      <p>
        <Copy text={secret} label={say(SAID[of].copy)} />{' '}
        <button type="button" onClick={onPutAway}>
          {say({ en: 'I have it', zh: '我已保存' })}
        </button>
      </p>
      {of === 'key' && (
        <p class="dim">
          <code>curl -H 'X-API-Key: …' '{location.origin}/v2/datasets/securities-firm-master?limit=50'</code>
        </p>
      )}
    </section>
  )
}
