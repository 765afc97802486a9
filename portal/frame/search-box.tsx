import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { useNames } from '../api/names.ts'
import { linkTo, say } from '../parts/language.ts'
import { find, guides, MOST } from './find.ts'
import { type Hit, pageOf, recentHits, remember, subtitleOf, titleOf } from './hits.ts'
import { type MostTraded, mostTraded } from './most-traded.ts'
import { Shortcuts } from './shortcuts.tsx'

/** Milliseconds without typing after which a search is sent. */
const PAUSE_MS = 40

const wordsOf = (recent: readonly Hit[], popular: MostTraded | null): string =>
  [
    recent.length > 0 ? say({ en: 'recent', zh: '最近搜尋' }) : null,
    popular ? say({ en: `most traded on ${popular.day}`, zh: `${popular.day} 成交值排行` }) : null,
  ]
    .filter(words => words !== null)
    .join(say({ en: ', then ', zh: '、' }))

/** Search box of every page. The key `/` moves the focus to the box. */
export function SearchBox() {
  const [typed, hits, chosenIndex, open, note] = [
    useSignal(''),
    useSignal<readonly Hit[]>([]),
    useSignal(-1),
    useSignal(false),
    useSignal(''),
  ]
  const input = useRef<HTMLInputElement>(null)
  const asking = useRef<AbortController | null>(null)
  /** Resolves when the hits for the typed text have arrived. */
  const answered = useRef<Promise<void>>(Promise.resolve())

  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const typing = event.target instanceof HTMLElement && event.target.closest('input, textarea, select, [contenteditable]')
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || typing) return
      event.preventDefault()
      input.current?.focus()
    }
    document.addEventListener('keydown', focus)
    return () => document.removeEventListener('keydown', focus)
  }, [])

  /** Shows new hits. A chosen hit stays chosen if the new hits contain it. */
  const show = (found: readonly Hit[], message: string) => {
    const chosen = hits.value[chosenIndex.value]
    chosenIndex.value = chosen ? found.findIndex(({ type, id }) => type === chosen.type && id === chosen.id) : -1
    hits.value = found
    note.value = message
    open.value = true
  }

  const search = async (q: string) => {
    asking.current?.abort()
    asking.current = new AbortController()
    const { signal } = asking.current
    if (q.trim() === '') {
      const recent = recentHits()
      show(recent, wordsOf(recent, null))
      const popular = await mostTraded()
      if (signal.aborted || !open.value) return
      const others = popular?.hits.filter(hit => !recent.some(({ type, id }) => type === hit.type && id === hit.id)) ?? []
      return show([...recent, ...others].slice(0, MOST), wordsOf(recent, popular))
    }
    try {
      await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
      if (signal.aborted) return
      const found = await find(q, signal)
      if (!signal.aborted) show(found.hits, found.note)
    } catch {
      // A newer search aborted this search.
    }
  }

  const go = (hit: Hit) => {
    remember(hit)
    location.assign(linkTo(pageOf(hit)))
  }

  /** Opens the chosen hit. Without a choice, opens the first hit as soon as it arrives. */
  const enter = async () => {
    const words = typed.value
    if (chosenIndex.value < 0) await answered.current
    const hit = hits.value[chosenIndex.value < 0 && words.trim() !== '' ? 0 : chosenIndex.value]
    if (hit && words === typed.value) go(hit)
  }

  const keys = (event: KeyboardEvent) => {
    // An input method handles Enter and arrow keys itself. Safari reports this state only by key
    // code 229.
    if (event.isComposing || event.keyCode === 229) return
    const last = hits.value.length - 1
    if (event.key === 'ArrowDown') chosenIndex.value = chosenIndex.value >= last ? 0 : chosenIndex.value + 1
    else if (event.key === 'ArrowUp') chosenIndex.value = chosenIndex.value <= 0 ? last : chosenIndex.value - 1
    else if (event.key === 'Escape') open.value = false
    else if (event.key === 'Enter') void enter()
    else return
    event.preventDefault()
  }

  const leave = (event: FocusEvent & { readonly currentTarget: HTMLElement }) => {
    if (!event.currentTarget.contains(event.relatedTarget as Node | null)) open.value = false
  }

  // Hits of a search have English names. Suggestions have only the Chinese names of the rows.
  const unnamed = hits.value.filter(({ type, title_en }) => type === 'symbol' && !title_en).map(({ id }) => id)
  const nameOf = useNames(unnamed, { areInRows: true, asVisitor: true })
  const label = say({
    en: 'Find a company, page, guide, dataset, field, index or broker',
    zh: '搜尋公司、頁面、指南、資料集、欄位、指數或券商',
  })
  const isOpen = open.value && (hits.value.length > 0 || note.value !== '')
  return (
    <div class="search" onFocusOut={leave}>
      <input
        ref={input}
        type="text"
        inputMode="search"
        role="combobox"
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls="hits"
        aria-autocomplete="list"
        aria-activedescendant={chosenIndex.value >= 0 ? `hit-${chosenIndex.value}` : undefined}
        placeholder={say({ en: 'Find: 2330, TSMC, revenue… (press /)', zh: '搜尋：2330、台積電、營收…（按 /）' })}
        autocomplete="off"
        spellcheck={false}
        value={typed.value}
        onInput={event => {
          typed.value = event.currentTarget.value
          answered.current = search(typed.value)
        }}
        onFocus={() => {
          void guides()
          answered.current = search(typed.value)
        }}
        onKeyDown={keys}
      />
      <div class="hits" hidden={!isOpen}>
        <div id="hits" role="listbox" aria-label={label}>
          {hits.value.map((hit, index) => (
            <a
              key={`${hit.type} ${hit.id}`}
              id={`hit-${index}`}
              role="option"
              aria-selected={index === chosenIndex.value}
              href={linkTo(pageOf(hit))}
              tabIndex={-1}
              onMouseDown={event => event.preventDefault()}
              onClick={() => remember(hit)}
            >
              <b>{hit.type === 'symbol' ? nameOf(hit.id, titleOf(hit)) : titleOf(hit)}</b>{' '}
              {hit.type === 'page' || hit.type === 'guide' ? null : <code>{hit.id}</code>}
              <small>{subtitleOf(hit)}</small>
            </a>
          ))}
        </div>
        <p role="status">{note.value}</p>
      </div>
      <Shortcuts />
    </div>
  )
}
