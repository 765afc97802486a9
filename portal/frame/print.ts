import { LOAD_ALL } from '../parts/seen.ts'

/** Milliseconds between checks whether everything is loaded. */
const PAUSE_MS = 250
/** Maximum wait before printing, in ms. */
const MOST_MS = 15_000

/**
 * Loads all panels before Ctrl+P prints the page. The browser's own print command does not wait. In
 * that case, panels that are not loaded state this on paper.
 */
export function loadBeforePrinting(): void {
  document.addEventListener('keydown', event => {
    if (event.key !== 'p' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
    event.preventDefault()
    void printAll()
  })
}

async function printAll(): Promise<void> {
  dispatchEvent(new Event(LOAD_ALL))
  const startedAt = performance.now()
  do await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
  while (document.querySelector('[aria-busy="true"], .skeleton') && performance.now() - startedAt < MOST_MS)
  // Charts are drawn in the task after their rows arrived.
  await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
  print()
}
