import { useSignal } from '@preact/signals'
import { say, type Words } from './language.ts'

const MESSAGE_MS = 2_000

interface CopyProps {
  /** Text to copy, or a function that returns it when the user presses the button. */
  readonly text: string | (() => string)
  /** Name for screen readers. Default: the text of the button. */
  readonly label?: string
  readonly words?: Words
}

export function Copy({ text, label, words = { en: 'Copy', zh: '複製' } }: CopyProps) {
  const message = useSignal('')
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : text())
      message.value = say({ en: 'Copied', zh: '已複製' })
    } catch {
      // Browsers offer no clipboard on plain HTTP, and users can deny it.
      message.value = say({ en: 'Copying failed: select the text and copy it', zh: '無法複製，請自行選取文字' })
    }
    setTimeout(() => (message.value = ''), MESSAGE_MS)
  }
  return (
    <>
      <button type="button" aria-label={label} onClick={() => void copy()}>
        {say(words)}
      </button>{' '}
      <span role="status" class="dim">
        {message.value}
      </span>
    </>
  )
}
