import { wander } from './random.ts'
import { sessions } from './sessions.ts'

/** Indices with the value each wanders around. */
const INDICES = [
  ['IX0001', '發行量加權股價指數', 24_000],
  ['IX0027', '電子工業類指數', 1_300],
  ['IX0039', '金融保險類指數', 2_100],
] as const

/** Closing values of the main, electronics and finance indices, by index and then day. */
export function marketIndices(until: string) {
  const days = sessions(until)
  return INDICES.flatMap(([code, name, around]) =>
    days.map(({ day, number, previous }) => {
      const value = close(code, around, number)
      const before = close(code, around, previous)
      const change = Number((value - before).toFixed(2))
      return { index_code: code, name, trade_date: day, value, change, change_pct: Number(((100 * change) / before).toFixed(2)) }
    }),
  )
}

const close = (code: string, around: number, day: number): number =>
  Number((around * Math.exp(0.6 * wander(`${code} close`, day))).toFixed(2))
