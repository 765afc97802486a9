import { say } from '../parts/language.ts'

const dark = matchMedia('(prefers-color-scheme: dark)')
const root = document.documentElement

export const isDark = (): boolean => (root.dataset['theme'] ?? (dark.matches ? 'dark' : 'light')) === 'dark'

/** Document event for a new theme. Charts are then drawn again, because they read colors once. */
export const THEME_CHANGED = 'theme-changed'

/** Makes a button switch the theme. The choice is stored if the browser permits storage. */
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
      // Storage may be forbidden. The choice is then lost when the page closes.
    }
    changed()
  })
  dark.addEventListener('change', changed)
  label()
}
