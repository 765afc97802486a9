import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/**
 * Stores a value in the page's query string, so that a link shows the same view. Changes add no
 * entry to the browser's history. Back and Forward restore the value.
 *
 * @param absent default value, which is never in the query string
 */
export function useUrlState<T extends string = string>(name: string, absent: NoInfer<T>): Signal<T> {
  const read = (): T => (new URLSearchParams(location.search).get(name) as T | null) ?? absent
  const value = useSignal<T>(read())
  useEffect(() => {
    const again = () => {
      value.value = read()
    }
    addEventListener('popstate', again)
    return () => removeEventListener('popstate', again)
  }, [])
  useEffect(() => {
    const query = new URLSearchParams(location.search)
    if (value.value === absent) query.delete(name)
    else query.set(name, value.value)
    const address = `${location.pathname}${query.size > 0 ? `?${query}` : ''}${location.hash}`
    if (address !== `${location.pathname}${location.search}${location.hash}`) history.replaceState(history.state, '', address)
  }, [value.value])
  return value
}
