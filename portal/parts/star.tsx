import { say } from './language.ts'
import { toggleWatched, watchlist } from './watchlist.ts'

export function Star({ symbol }: { readonly symbol: string }) {
  const isOn = watchlist.value.includes(symbol)
  return (
    <button
      type="button"
      class="star"
      aria-pressed={isOn}
      aria-label={say({ en: `Watch ${symbol}`, zh: `將 ${symbol} 加入自選` })}
      onClick={() => toggleWatched(symbol)}
    >
      {isOn ? '★' : '☆'}
    </button>
  )
}
