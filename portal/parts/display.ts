import { signal } from '@preact/signals'
import { LANGUAGE } from './language.ts'

export interface Display {
  /** Single shares, or lots (張) of 1,000 shares. */
  readonly volume: 'lots' | 'shares'
  /** `compact` uses 億, 萬, M and B. `full` shows all digits. */
  readonly amounts: 'compact' | 'full'
  /** Colors of rising and falling prices. `red-up` is usual in Taiwan. */
  readonly colours: 'red-up' | 'green-up'
}

const USUAL: Display = { volume: LANGUAGE === 'zh' ? 'lots' : 'shares', amounts: 'compact', colours: 'red-up' }
const KEY = 'display'

/** Name of the document event for a changed setting. Charts then use the new colors. */
export const DISPLAY_CHANGED = 'display-changed'

function stored(): Display {
  try {
    return { ...USUAL, ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Display>) }
  } catch {
    return USUAL
  }
}

export const display = signal<Display>(stored())

/** Changes settings. Stores only those that differ from the defaults. */
export function setDisplay(change: Partial<Display>): void {
  display.value = { ...display.value, ...change }
  document.documentElement.dataset['colours'] = display.value.colours
  const changed = Object.entries(display.value).filter(([name, value]) => value !== USUAL[name as keyof Display])
  try {
    localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(changed)))
  } catch {
    // Storage may be forbidden. The choice is then lost when the page closes.
  }
  document.dispatchEvent(new Event(DISPLAY_CHANGED))
}
