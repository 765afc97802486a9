import { type ComponentType, render } from 'preact'

/** Shows a page where the server left a text for readers without script. */
export function mount(Page: ComponentType): void {
  const place = document.querySelector('#page')!
  place.replaceChildren()
  render(<Page />, place)
}
