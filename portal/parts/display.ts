import { signal } from '@preact/signals'
import { LANGUAGE } from './language.ts'

/** How figures are shown. Stored in the browser. */
export interface Display {
  /** Numbers of shares as shares, or as lots (張) of 1,000 shares. */
  readonly volume: 'lots' | 'shares'
  /** Large amounts in compact units (億 and 萬; M and B), or with all digits. */
  readonly amounts: 'compact' | 'full'
  /** Colors of rising and falling prices: red and green as in Taiwan, or green and red. */
  readonly colours: 'red-up' | 'green-up'
}

const USUAL: Display = { volume: LANGUAGE === 'zh' ? 'lots' : 'shares', amounts: 'compact', colours: 'red-up' }
const KEY = 'display'

/** Event of the document, dispatched when a setting changes, so that charts use the new colors. */
export const DISPLAY_CHANGED = 'display-changed'

function stored(): Display {
  try {
    return { ...USUAL, ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Display>) }
  } catch {
    return USUAL
  }
}

/** The settings of this browser. */
export const display = signal<Display>(stored())

/** Changes settings. Stores the settings that differ from the defaults of the language. */
export function setDisplay(change: Partial<Display>): void {
  display.value = { ...display.value, ...change }
  document.documentElement.dataset['colours'] = display.value.colours
  const changed = Object.entries(display.value).filter(([name, value]) => value !== USUAL[name as keyof Display])
  try {
    localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(changed)))
  } catch {
    // Ignored: storage may be forbidden. The choice is then lost when the page closes.
  }
  document.dispatchEvent(new Event(DISPLAY_CHANGED))
}
