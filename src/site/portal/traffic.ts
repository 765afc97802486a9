import type { Words } from '../../core/index.ts'
import { type Html, html } from './html.ts'
import type { Language } from './shell.ts'

/** API requests of one day in Taipei. `failed` counts requests with a status of 500 or above. */
export interface TrafficDay {
  readonly day: string
  readonly answered: number
  readonly failed: number
  /** False before the history began. */
  readonly isRecorded: boolean
}

const STEP = 6
const HEIGHT = 20
/** Minimum shares of answered requests for a green and for an orange bar. */
const GOOD = 0.999
const FAIR = 0.99

/** Bars of the share of answered requests per day, and the same numbers as a list. */
export function trafficSection(days: readonly TrafficDay[], language: Language): Html {
  const say = (words: Words): string => words[language]
  const textOf = (day: TrafficDay): string => say(wordsOf(day))
  const recorded = days.filter(({ isRecorded }) => isRecorded)
  const total = recorded.reduce(
    (sum, { answered, failed }) => ({ answered: sum.answered + answered, failed: sum.failed + failed, isRecorded: true }),
    { answered: 0, failed: 0, isRecorded: recorded.length > 0 },
  )
  const since = recorded[0]?.day ?? null
  const label = say({
    en: `Answered API requests, ${days.length} days: ${wordsOf(total).en}`,
    zh: `近 ${days.length} 日 API 請求成功率：${wordsOf(total).zh}`,
  })
  return html`<h2 id="requests">${label}</h2>
<svg class="history" viewBox="0 0 ${days.length * STEP} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">${days.map(
    (one, index) => {
      const kind = kindOf(one)
      const height = kind === 'no-requests' ? HEIGHT / 4 : HEIGHT
      return html`<rect class="${kind}" x="${index * STEP}" y="${HEIGHT - height}" width="${STEP - 1}" height="${height}"><title>${one.day} ${textOf(one)}</title></rect>`
    },
  )}</svg>
<p class="dim">${say({
    en: 'Share of requests to /v2 without a server error (status 500 or above), per day in Taipei. An outage appears as fewer or no requests.',
    zh: '對 /v2 的請求中未發生伺服器錯誤（狀態碼 500 以上）的比率，依臺北日期計算。服務中斷期間無法計入請求。',
  })}${
    since !== null && since > days[0]!.day
      ? say({ en: ` The history began on ${since}; earlier days are unknown.`, zh: `紀錄自 ${since} 開始，之前的日期為未知。` })
      : null
  }</p>
${
  recorded.length > 0
    ? html`<details><summary>${say({ en: 'Share per day', zh: '每日成功率' })}</summary><ul>${recorded
        .toReversed()
        .map(one => html`<li><time>${one.day}</time> ${textOf(one)}`)}</ul></details>`
    : null
}`
}

type Sums = Omit<TrafficDay, 'day'>

function wordsOf({ answered, failed, isRecorded }: Sums): Words {
  if (!isRecorded) return { en: 'unknown', zh: '未知' }
  if (answered + failed === 0) return { en: 'no requests', zh: '無請求' }
  const share = shareText(answered, failed)
  return { en: share, zh: share }
}

/** Rounds down, so that only a day without failures has 100%. */
const shareText = (answered: number, failed: number): string =>
  failed === 0 ? '100%' : `${(Math.floor((answered * 10_000) / (answered + failed)) / 100).toFixed(2)}%`

function kindOf({ answered, failed, isRecorded }: Sums): string {
  if (!isRecorded) return 'unknown'
  if (answered + failed === 0) return 'no-requests'
  const share = answered / (answered + failed)
  if (share >= GOOD) return 'answered'
  return share >= FAIR ? 'some-failed' : 'many-failed'
}
