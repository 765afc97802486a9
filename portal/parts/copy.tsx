import { useSignal } from '@preact/signals'
import { say } from './language.ts'

const MILLISECONDS_SAID = 2_000

/** A button that puts a text on the clipboard. @param label what it copies, for screen readers */
export function Copy({ text, label }: { readonly text: string; readonly label?: string }) {
  const said = useSignal('')
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      said.value = say({ en: 'Copied', zh: '已複製' })
    } catch {
      // Browsers have no clipboard for pages of plain http, and may ask first.
      said.value = say({ en: 'Select and copy it yourself', zh: '請自行選取並複製' })
    }
    setTimeout(() => (said.value = ''), MILLISECONDS_SAID)
  }
  return (
    <>
      <button type="button" aria-label={label} onClick={() => void copy()}>
        {say({ en: 'Copy', zh: '複製' })}
      </button>{' '}
      <span role="status" class="dim">
        {said.value}
      </span>
    </>
  )
}
