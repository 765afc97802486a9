import { type ComponentType, render } from 'preact'

/** Replaces the text that the server renders for browsers without scripts. */
export function mount(Page: ComponentType): void {
  const place = document.querySelector('#page')!
  place.replaceChildren()
  render(<Page />, place)
}
