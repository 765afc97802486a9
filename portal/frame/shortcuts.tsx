import { useEffect, useRef } from 'preact/hooks'
import { say, type Words } from '../parts/language.ts'

const KEYS: readonly { readonly keys: string; readonly words: Words }[] = [
  { keys: '/', words: { en: 'Search companies, pages, guides and datasets', zh: '搜尋公司、頁面、指南與資料集' } },
  { keys: '↑ ↓ Enter', words: { en: 'Choose and open a result', zh: '選擇並開啟結果' } },
  { keys: '← → Home End', words: { en: 'Move over a chart or between tabs', zh: '在圖表或分頁間移動' } },
  { keys: '↑ ↓ ← → PgUp PgDn', words: { en: 'Move in a table of rows', zh: '在資料表中移動' } },
  { keys: 'Esc', words: { en: 'Close a list or a window', zh: '關閉清單或視窗' } },
  { keys: '?', words: { en: 'Show these shortcuts', zh: '顯示快速鍵' } },
]

/** The key `?` opens the window. */
export function Shortcuts() {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.closest('input, textarea, select, [contenteditable]')
      if (event.key !== '?' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return
      event.preventDefault()
      if (!dialog.current?.open) dialog.current?.showModal()
    }
    document.addEventListener('keydown', open)
    return () => document.removeEventListener('keydown', open)
  }, [])
  const title = say({ en: 'Keyboard shortcuts', zh: '快速鍵' })
  return (
    <dialog ref={dialog} class="shortcuts" aria-label={title}>
      <h2>{title}</h2>
      <dl>
        {KEYS.map(({ keys, words }) => (
          <>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{say(words)}</dd>
          </>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">{say({ en: 'Close', zh: '關閉' })}</button>
      </form>
    </dialog>
  )
}
