import { signal } from '@preact/signals'
import { useEffect, useId, useRef } from 'preact/hooks'
import { say } from './language.ts'

export interface ConfirmProps {
  readonly label: string
  readonly question: string
  readonly yes: string
  /** Name for screen readers, if several buttons have the same label. */
  readonly about?: string
  readonly onYes: () => void
}

const open = signal<string | null>(null)

/**
 * Button for an irreversible action. After a click, the user must confirm. “Cancel” has the focus
 * first.
 */
export function Confirm({ label, question, yes, about, onYes }: ConfirmProps) {
  const id = useId()
  const isOpen = open.value === id
  const [first, no] = [useRef<HTMLButtonElement>(null), useRef<HTMLButtonElement>(null)]
  const wasAsked = useRef(false)
  const put = (value: boolean): void => {
    open.value = value ? id : null
  }
  useEffect(() => {
    if (isOpen) no.current?.focus()
    // Returns the focus to the button, unless another confirmation is open.
    else if (wasAsked.current && open.value === null) first.current?.focus()
    wasAsked.current = isOpen
  }, [isOpen])
  // Closes the confirmation when the component is removed.
  useEffect(
    () => () => {
      if (open.peek() === id) put(false)
    },
    [],
  )
  if (!isOpen)
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
