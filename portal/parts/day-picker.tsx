import '../style/day-picker.css'
import { useSignal } from '@preact/signals'
import { useEffect, useId } from 'preact/hooks'
import { say } from './language.ts'

export interface DayPickerProps {
  readonly label: string
  /** Days with data, oldest first, as YYYY-MM-DD. */
  readonly days: readonly string[]
  /** The chosen day. It must be in `days`. */
  readonly day: string
  readonly onPick: (day: string) => void
}

/**
 * Milliseconds without a change after which a new day is reported. Skips days that the slider only
 * passes.
 */
const PAUSE_MS = 200

/**
 * Chooses a day by typing, stepping or sliding. If the day has no data, the previous day with data
 * is chosen.
 */
export function DayPicker({ label, days, day: picked, onPick }: DayPickerProps) {
  const [id, passing] = [useId(), useSignal<string | null>(null)]
  useEffect(() => {
    const next = passing.value
    if (next === null) return
    const timer = setTimeout(() => {
      passing.value = null
      if (next !== picked) onPick(next)
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [passing.value])
  const pass = (next: string) => {
    passing.value = next
  }
  const day = passing.value ?? picked
  const index = days.indexOf(day)
  const last = days.length - 1
  const step = (by: number) => pass(days[Math.min(Math.max(index + by, 0), last)] ?? day)
  return (
    <fieldset class="day-picker">
      <legend class="visually-hidden">{label}</legend>
      <label for={id}>{label}</label>
      <button type="button" disabled={index <= 0} onClick={() => step(-1)} aria-label={say({ en: 'Day before', zh: '前一日' })}>
        ‹
      </button>
      <input
        id={id}
        type="date"
        value={day}
        min={days[0]}
        max={days[last]}
        onChange={event => {
          const typed = event.currentTarget.value
          if (typed !== '') pass(days.findLast(one => one <= typed) ?? days[0] ?? day)
        }}
      />
      <button type="button" disabled={index >= last} onClick={() => step(1)} aria-label={say({ en: 'Day after', zh: '後一日' })}>
        ›
      </button>
      <input
        type="range"
        disabled={last <= 0}
        min={0}
        max={Math.max(last, 0)}
        value={Math.max(index, 0)}
        aria-label={`${label}: ${say({ en: 'slider', zh: '滑桿' })}`}
        aria-valuetext={day}
        onInput={event => pass(days[event.currentTarget.valueAsNumber] ?? day)}
      />
    </fieldset>
  )
}
