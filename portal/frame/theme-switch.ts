import { say } from '../parts/language.ts'

const dark = matchMedia('(prefers-color-scheme: dark)')
const root = document.documentElement

/** True where the page is drawn light on dark. */
export const isDark = (): boolean => (root.dataset['theme'] ?? (dark.matches ? 'dark' : 'light')) === 'dark'

/** Dispatched on the document when the theme changes: what paints by itself, as charts do, paints again. */
export const THEME_CHANGED = 'theme-changed'

/** Makes a button that goes from one theme to the other, and keeps the choice for the next page where storage is allowed. */
export function switchTheme(button: HTMLButtonElement): void {
  const label = () => {
    button.textContent = isDark() ? '☀' : '☾'
    button.setAttribute('aria-label', isDark() ? say({ en: 'Light theme', zh: '淺色主題' }) : say({ en: 'Dark theme', zh: '深色主題' }))
  }
  const changed = () => {
    label()
    document.dispatchEvent(new Event(THEME_CHANGED))
  }
  button.hidden = false
  button.addEventListener('click', () => {
    const theme = isDark() ? 'light' : 'dark'
    root.dataset['theme'] = theme
    try {
      localStorage.setItem('theme', theme)
    } catch {
      // Storage may be forbidden; the choice then lasts as long as the page.
    }
    changed()
  })
  dark.addEventListener('change', changed)
  label()
}
