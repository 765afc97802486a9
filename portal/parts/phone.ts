import { type Signal, signal } from '@preact/signals'

/** The styles for phones use the same width. */
const query = matchMedia('(max-width: 40rem)')

/** True while the window is as narrow as a phone. */
export const isPhone: Signal<boolean> = signal(query.matches)

query.addEventListener('change', () => {
  isPhone.value = query.matches
})
