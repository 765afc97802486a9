import { type Signal, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'

/** How near to what is visible an element must come, so that it is ready when it is scrolled to. */
const NEAR = '200px'

/** True from the moment on that an element first comes into sight, or near it. */
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
