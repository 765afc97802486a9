import { type ComponentType, render } from 'preact'

/** Renders a page in place of the text for browsers without scripts. */
export function mount(Page: ComponentType): void {
  const place = document.querySelector('#page')!
  place.replaceChildren()
  render(<Page />, place)
}
