import { useEffect, useRef } from 'preact/hooks'
import { Copy } from '../../parts/copy.tsx'
import { say } from '../../parts/language.ts'

/** A secret while it is shown. Only this page's memory has it, until it is put away. */
export function Secret({ name, secret, onPutAway }: { readonly name: string; readonly secret: string; readonly onPutAway: () => void }) {
  const box = useRef<HTMLElement>(null)
  useEffect(() => box.current?.focus(), [])
  return (
    <section class="notice secret" ref={box} tabIndex={-1} aria-label={say({ en: `Key ${name}`, zh: `金鑰 ${name}` })}>
      <p>
        {say({
          en: `The key “${name}”. Copy it now, and keep it as you keep a password.`,
          zh: `金鑰「${name}」。請立即複製，並如同密碼般妥善保管。`,
        })}
      </p>
      <p>
        <code class="whole">{secret}</code>
      </p>
      <p>
        <Copy text={secret} label={say({ en: 'Copy the key', zh: '複製金鑰' })} />{' '}
        <button type="button" onClick={onPutAway}>
          {say({ en: 'I have it', zh: '我已保存' })}
        </button>
      </p>
      <p class="dim">
        <code>curl -H 'X-API-Key: …' {location.origin}/v2/datasets/securities-firm-master</code>
      </p>
    </section>
  )
}
