import { type Signal, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'

/**
 * Distance from the visible area within which an element counts as visible, so that its content is
 * loaded in time.
 */
const NEAR = '200px'

/** Becomes true when an element is visible or near the visible area, and stays true. */
export function useSeen(element: RefObject<Element | null>): Signal<boolean> {
  const seen = useSignal(false)
  useEffect(() => {
    if (!element.current) return
    const observer = new IntersectionObserver(
      entries => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return
        seen.value = true
        observer.disconnect()
      },
      { rootMargin: NEAR },
    )
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  return seen
}
