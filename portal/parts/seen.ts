import { type Signal, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'

/** An element within this distance of the visible area counts as visible. */
const NEAR = '200px'

/** Window event that loads everything, for example before printing. */
export const LOAD_ALL = 'load-all'
const REQUESTS = [LOAD_ALL, 'beforeprint']

/** True after an event of `REQUESTS`. Elements that are added later count as visible, too. */
let isAll = false
for (const event of REQUESTS)
  addEventListener(event, () => {
    isAll = true
  })

/**
 * Becomes true when an element is visible, or when everything is requested. Never becomes false
 * again.
 */
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
