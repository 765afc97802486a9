import { useSignal } from '@preact/signals'
import { say } from './language.ts'

const MESSAGE_MS = 2_000

/** A button that copies a text to the clipboard. @param label name for screen readers */
export function Copy({ text, label }: { readonly text: string; readonly label?: string }) {
  const message = useSignal('')
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      message.value = say({ en: 'Copied', zh: '已複製' })
    } catch {
      // Browsers have no clipboard on plain http, and may ask for permission.
      message.value = say({ en: 'Copying failed: select the text and copy it', zh: '無法複製，請自行選取文字' })
    }
    setTimeout(() => (message.value = ''), MESSAGE_MS)
  }
  return (
    <>
      <button type="button" aria-label={label} onClick={() => void copy()}>
        {say({ en: 'Copy', zh: '複製' })}
      </button>{' '}
      <span role="status" class="dim">
        {message.value}
      </span>
    </>
  )
}
