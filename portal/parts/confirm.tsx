import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { say } from './language.ts'

export interface ConfirmProps {
  /** On the first button. */
  readonly label: string
  /** Asked once it is pressed. */
  readonly question: string
  /** On the button that does it. */
  readonly yes: string
  /** Named by screen readers in the place of `label`, where many buttons have the same. */
  readonly about?: string
  readonly onYes: () => void
}

/** A button that asks once more before it does what cannot be undone. The way back has the focus. */
export function Confirm({ label, question, yes, about, onYes }: ConfirmProps) {
  const asks = useSignal(false)
  const [first, no] = [useRef<HTMLButtonElement>(null), useRef<HTMLButtonElement>(null)]
  const wasAsked = useRef(false)
  const put = (value: boolean): void => {
    asks.value = value
  }
  useEffect(() => {
    if (asks.value) no.current?.focus()
    else if (wasAsked.current) first.current?.focus()
    wasAsked.current = asks.value
  }, [asks.value])
  if (!asks.value)
    return (
      <button ref={first} type="button" aria-label={about} onClick={() => put(true)}>
        {label}
      </button>
    )
  return (
    <fieldset class="confirm" onKeyDown={event => void (event.key === 'Escape' && put(false))}>
      <legend>{question}</legend>
      <button
        type="button"
        class="danger"
        onClick={() => {
          put(false)
          onYes()
        }}
      >
        {yes}
      </button>{' '}
      <button ref={no} type="button" onClick={() => put(false)}>
        {say({ en: 'Cancel', zh: '取消' })}
      </button>
    </fieldset>
  )
}
