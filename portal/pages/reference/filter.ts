import { say } from '../../parts/language.ts'

const FOUND = (count: number): string => say({ en: `${count} found`, zh: `找到 ${count} 項` })

/**
 * Filters the lists of the documentation's start page. Other pages open that page with the typed
 * text.
 */
export function filterLists(): void {
  const box = document.querySelector<HTMLInputElement>('.docs-shelf input[name=find]')
  const items = [...document.querySelectorAll<HTMLElement>('li[data-find]')]
  if (!box || items.length === 0) return
  const found = document.createElement('p')
  found.setAttribute('role', 'status')
  found.className = 'dim'
  box.form!.append(found)
  box.form!.addEventListener('submit', event => event.preventDefault())
  box.addEventListener('input', () => filter(box.value, items, found))
  box.value = new URLSearchParams(location.search).get('find') ?? ''
  if (box.value !== '') {
    filter(box.value, items, found)
    box.focus()
  }
}

/**
 * Hides items that lack a word, and groups without visible items. Opens folded lists if there are
 * words.
 */
function filter(typed: string, items: readonly HTMLElement[], found: HTMLElement): void {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  for (const item of items) item.hidden = !words.every(word => item.dataset['find']!.includes(word))
  for (const section of document.querySelectorAll<HTMLElement>('.docs-body section'))
    section.hidden = section.querySelector('li[data-find]') !== null && section.querySelector('li[data-find]:not([hidden])') === null
  for (const folded of document.querySelectorAll<HTMLDetailsElement>('.docs-body details:has(li[data-find])'))
    folded.open = words.length > 0
  found.textContent = words.length === 0 ? '' : FOUND(items.filter(({ hidden }) => !hidden).length)
}
