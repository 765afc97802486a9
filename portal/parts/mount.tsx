import { type ComponentType, render } from 'preact'
import { firstPaint } from '../frame/first-paint.ts'

/**
 * Renders a page in place of the text that the server wrote. A page with a lead starts with the
 * same title and lead. Preact reuses the two elements, so they stay painted.
 */
export function mount(Page: ComponentType): void {
  void firstPaint.then(() => {
    const place = document.querySelector('#page')!
    for (const one of place.querySelectorAll(':scope > :not(.lead, :has(+ .lead))')) one.remove()
    render(<Page />, place)
  })
}
