import { LOAD_ALL } from '../parts/seen.ts'

/** Interval between checks whether everything is loaded, in ms. */
const PAUSE_MS = 250
/** Maximum time that printing waits, in ms. */
const MOST_MS = 15_000

/**
 * Loads all panels before Ctrl+P prints the page. The print command in the browser's menu does not
 * wait. Panels that are not loaded then state this on paper.
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
