import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { say } from '../../parts/language.ts'
import { clockTime } from '../../parts/time.ts'
import { forgetToken, isReading, readAll, readAt, troubles } from './state.ts'

const EVERY_MS = 15_000

/** Refreshes all sections while the page is visible. */
export function Refreshing() {
  const isPaused = useSignal(false)
  useEffect(() => {
    const isOld = () => Date.now() - (readAt.peek() ?? 0) >= EVERY_MS
    const read = () => void (document.hidden || isPaused.peek() || readAll())
    const seen = () => void (isOld() && read())
    const timer = setInterval(read, EVERY_MS)
    document.addEventListener('visibilitychange', seen)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', seen)
    }
  }, [])
  const pause = () => {
    isPaused.value = !isPaused.value
    if (!isPaused.value) void readAll()
  }
  const isCutOff = Object.values(troubles.value).some(({ code }) => code === 'unreachable')
  return (
    <div class="row refreshing">
      <p>
        {readAt.value === null ? (
          say({ en: 'Reading…', zh: '讀取中…' })
        ) : (
          <>
            {say({ en: 'Last refresh: ', zh: '最後更新：' })}
            <b id="read-at">{clockTime(readAt.value)}</b>{' '}
            <span class="dim">
              {isPaused.value
                ? say({ en: 'Paused.', zh: '已暫停更新。' })
                : say({ en: 'Refreshes every 15 s while visible.', zh: '頁面顯示時每 15 秒更新。' })}
            </span>
          </>
        )}
      </p>
      <button type="button" disabled={isReading.value} onClick={() => void readAll()}>
        {say({ en: 'Refresh now', zh: '立即更新' })}
      </button>
      <button type="button" aria-pressed={isPaused.value} onClick={pause}>
        {say({ en: 'Pause', zh: '暫停' })}
      </button>
      <button type="button" id="forget" onClick={forgetToken}>
        {say({ en: 'Forget the token', zh: '清除權杖' })}
      </button>
      {isCutOff && (
        <p class="notice warn whole" role="alert">
          {say({
            en: 'No response. Showing earlier data; retrying.',
            zh: '服務沒有回應，以下為先前的資料，將自動重試。',
          })}
        </p>
      )}
    </div>
  )
}
