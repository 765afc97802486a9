import { addDays, taipeiDay, type Words } from '../../core/index.ts'
import type { FeedEntry } from '../../coverage/index.ts'
import { byTitle, type Shown, stateText } from './home.ts'
import { type Html, html } from './html.ts'
import { inLanguage, type Language } from './shell.ts'
import { type TrafficDay, trafficSection } from './traffic.ts'

const DAYS = 90
const STEP = 6

/**
 * Lists overdue datasets first.
 * @param entries publications, newest first
 */
export function statusContent(
  datasets: readonly Shown[],
  entries: readonly FeedEntry[],
  traffic: readonly TrafficDay[],
  now: Date,
  language: Language,
): Html {
  const say = (words: Words): string => words[language]
  const today = taipeiDay(now)
  const days = Array.from({ length: DAYS }, (_, index) => addDays(today, index - DAYS + 1))
  const published = new Set(entries.map(({ dataset, changedAt }) => `${dataset.slug} ${changedAt.slice(0, 10)}`))
  const held = datasets.filter(({ row_count: rows }) => rows !== null && rows > 0)
  const late = held.filter(({ freshness_state: state }) => state === 'late')
  const damaged = held.filter(({ status }) => status === 'degraded' || status === 'unavailable')
  const ordered = held
    .toSorted(byTitle(language))
    .sort((a, b) => Number(b.freshness_state === 'late') - Number(a.freshness_state === 'late'))
  const problems = [...damaged, ...late.filter(one => !damaged.includes(one))]
  const titleOf = ({ title, title_zh }: Shown): string => say({ en: title, zh: title_zh })
  const label = say({ en: 'Datasets', zh: '資料集' })
  return html`<h1>${say({ en: 'Status', zh: '服務狀態' })}</h1>
<p class="notice${problems.length === 0 ? '' : ' warn'}">${
    problems.length === 0
      ? say({ en: 'The service responds, and no dataset is overdue.', zh: '服務正常，沒有逾期的資料集。' })
      : say({
          en: `The service answers. Overdue or degraded: ${problems.map(titleOf).join('; ')}.`,
          zh: `服務正常。逾期或降級：${problems.map(titleOf).join('；')}。`,
        })
  }</p>
<p>${say({ en: 'Follow updates: ', zh: '追蹤更新：' })}<a href="${inLanguage('/updates.atom', language)}">Atom</a> · <a href="${inLanguage('/market/calendar', language)}">${say({ en: 'data calendar', zh: '資料行事曆' })}</a> · <a href="${inLanguage('/docs/updates', language)}">API</a></p>
<div class="scroll" role="region" tabindex="0" aria-label="${label}"><table class="standings"><thead><tr><th>${say({ en: 'Dataset', zh: '資料集' })}<th>${say({ en: 'State', zh: '狀態' })}<th>${say({ en: 'Data as of', zh: '資料至' })}<th>${say({ en: 'Next update', zh: '下次更新' })}<th>${say({ en: `Publications, ${DAYS} days`, zh: `近 ${DAYS} 日發布` })}</thead><tbody>${ordered.map(
    dataset => {
      const marks = days.flatMap((day, index) => (published.has(`${dataset.slug} ${day}`) ? [{ day, x: index * STEP }] : []))
      const count = say({ en: `${marks.length} days with publications`, zh: `${marks.length} 日有發布` })
      return html`<tr><th scope="row"><a href="${inLanguage(`/datasets/${dataset.slug}`, language)}">${titleOf(dataset)}</a><td class="state-${dataset.freshness_state}">${stateText(dataset, language)}<td>${dataset.data_as_of ?? '–'}<td>${dataset.next_expected_at?.slice(0, 16).replace('T', ' ') ?? '–'}<td><svg class="history" viewBox="0 0 ${DAYS * STEP} 20" preserveAspectRatio="none" role="img" aria-label="${count}">${marks.map(({ day, x }) => html`<rect x="${x}" width="${STEP - 1}" height="20"><title>${day}</title></rect>`)}</svg></tr>
`
    },
  )}</tbody></table></div>
${trafficSection(traffic, language)}`
}
