import { useSignal } from '@preact/signals'
import { render } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import '../../frame/main.tsx'
import { type Found, find } from '../../frame/find.ts'
import { pageOf, remember, subtitleOf, titleOf } from '../../frame/hits.ts'
import { linkTo, pagePath, say } from '../../parts/language.ts'

/** Milliseconds without typing after which a search is sent. */
const PAUSE_MS = 150

const MOST_TRIES = 4

const lastPart = (): string => (pagePath().at(-1) ?? '').replaceAll(/[-_.]+/g, ' ').trim()

const TICKER = /^\d{3,6}[A-Z]?$/i

/** Removes the last word. If there is only one word, removes the last letter. */
const shortened = (text: string): string => text.slice(0, text.includes(' ') ? text.lastIndexOf(' ') : -1)

/**
 * Finds results for a text. Without results, searches for a shorter text, so that a ticker with one
 * wrong digit also has results.
 */
async function nearest(text: string, signal: AbortSignal, tries = MOST_TRIES): Promise<Found> {
  const found = await find(text, signal)
  const isFound = TICKER.test(text) ? found.hits.some(({ type }) => type === 'symbol') : found.hits.length > 0
  return isFound || text.length < 3 || tries === 1 ? found : nearest(shortened(text), signal, tries - 1)
}

/** Shows a search box, which first contains the unknown name of the page. */
function Find() {
  const [text, found] = [useSignal(lastPart()), useSignal<Found | null>(null)]
  const running = useRef(new AbortController())
  const search = async (pause: number) => {
    running.current.abort()
    running.current = new AbortController()
    const { signal } = running.current
    await new Promise(resolve => setTimeout(resolve, pause))
    if (signal.aborted) return
    const result = text.value.trim() === '' ? null : await nearest(text.value.trim(), signal).catch(() => null)
    if (!signal.aborted) found.value = result
  }
  useEffect(() => {
    void search(0)
  }, [])
  const label = say({ en: 'Search companies, pages, guides and datasets', zh: '搜尋公司、頁面、指南與資料集' })
  return (
    <search>
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={text.value}
        onInput={event => {
          text.value = event.currentTarget.value
          void search(PAUSE_MS)
        }}
      />
      <ul>
        {(found.value?.hits ?? []).map(hit => (
          <li key={`${hit.type} ${hit.id}`}>
            <a href={linkTo(pageOf(hit))} onClick={() => remember(hit)}>
              {hit.type === 'symbol' ? `${hit.id} ` : ''}
              {titleOf(hit)}
            </a>{' '}
            <small class="dim">{subtitleOf(hit)}</small>
          </li>
        ))}
      </ul>
      <p role="status" class="dim">
        {found.value?.note ?? ''}
      </p>
    </search>
  )
}

render(<Find />, document.querySelector('#find')!)
