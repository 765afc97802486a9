import { type Signal, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'

/**
 * Distance from the visible area within which an element counts as visible, so that its content is
 * loaded in time.
 */
const NEAR = '200px'

/** Dispatched on the window to load everything, for example before printing. */
export const LOAD_ALL = 'load-all'
const REQUESTS = [LOAD_ALL, 'beforeprint']

/** True after everything was requested: elements that are added later are visible, too. */
let isAll = false
for (const event of REQUESTS)
  addEventListener(event, () => {
    isAll = true
  })

/** True once an element has been visible, or nearly so, or everything was requested. */
export function useSeen(element: RefObject<Element | null>): Signal<boolean> {
  const seen = useSignal(isAll)
  useEffect(() => {
    if (seen.value || !element.current) return
    const observer = new IntersectionObserver(
      entries => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) show()
      },
      { rootMargin: NEAR },
    )
    const show = () => {
      seen.value = true
      stop()
    }
    const stop = () => {
      observer.disconnect()
      for (const event of REQUESTS) removeEventListener(event, show)
    }
    observer.observe(element.current)
    for (const event of REQUESTS) addEventListener(event, show)
    return stop
  }, [])
  return seen
}
