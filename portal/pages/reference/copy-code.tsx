import { render } from 'preact'
import { Copy } from '../../parts/copy.tsx'
import { say } from '../../parts/language.ts'

export function addCopyButtons(): void {
  for (const block of document.querySelectorAll<HTMLPreElement>('.docs-page pre')) {
    const place = document.createElement('div')
    place.className = 'copy-code'
    block.before(place)
    render(<Copy text={block.textContent ?? ''} label={say({ en: 'Copy this code', zh: '複製這段程式碼' })} />, place)
  }
}

/** Scrolls the navigation to the current page. */
export function showCurrent(): void {
  const shelf = document.querySelector<HTMLElement>('.docs-shelf')
  const current = shelf?.querySelector<HTMLElement>('[aria-current]')
  if (shelf && current) shelf.scrollTop = current.offsetTop - shelf.clientHeight / 3
}
