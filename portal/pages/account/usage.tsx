import { useSignal } from '@preact/signals'
import type { UsageSummary, UsageTotals } from '../../../clients/typescript/src/index.ts'
import { useTitles } from '../../api/catalog.ts'
import { useAnswer } from '../../api/use.ts'
import { Bars } from '../../parts/bars.tsx'
import { Dated } from '../../parts/dated.tsx'
import { number, say } from '../../parts/language.ts'
import { RefusedRead } from '../../parts/refused-read.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { Ledger } from './ledger.tsx'
import { nameOfKey } from './state.ts'
import { UsageTable } from './usage-table.tsx'

const WINDOWS = {
  '7d': { en: 'last 7 days', zh: '近 7 日' },
  '30d': { en: 'last 30 days', zh: '近 30 日' },
  month: { en: 'this month', zh: '本月' },
  last_month: { en: 'last month', zh: '上月' },
} as const

const VIEWS = {
  day: { button: { en: 'By day', zh: '依日期' }, head: { en: 'Day', zh: '日期' } },
  dataset: { button: { en: 'By dataset', zh: '依資料集' }, head: { en: 'Dataset', zh: '資料集' } },
  key: { button: { en: 'By key', zh: '依金鑰' }, head: { en: 'Key', zh: '金鑰' } },
} as const

const DAY_MS = 86_400_000

export function Usage() {
  const [window, view] = [useSignal<keyof typeof WINDOWS>('30d'), useSignal<keyof typeof VIEWS>('day')]
  const answer = useAnswer<UsageSummary>({ path: '/v2/self-serve/usage-summary', query: { window: window.value } })
  const summary = answer.value.value
  const titleBy = useTitles()
  return (
    <section id="usage">
      <h2>{say({ en: 'Usage', zh: '用量' })}</h2>
      <div class="row">
        <label>
          {say({ en: 'Days', zh: '期間' })}
          <select value={window.value} onChange={event => (window.value = event.currentTarget.value as keyof typeof WINDOWS)}>
            {Object.entries(WINDOWS).map(([name, words]) => (
              <option key={name} value={name}>
                {say(words)}
              </option>
            ))}
          </select>
        </label>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would add a frame and a legend */}
        <div role="group" class="choice" aria-label={say({ en: 'Table', zh: '表格' })}>
          {Object.entries(VIEWS).map(([name, { button }]) => (
            <button key={name} type="button" aria-pressed={view.value === name} onClick={() => (view.value = name as keyof typeof VIEWS)}>
              {say(button)}
            </button>
          ))}
        </div>
      </div>
      {answer.value.refused && <RefusedRead refused={answer.value.refused} plan={undefined} onRetry={answer.value.again} />}
      {!summary && !answer.value.refused && (
        <div class="usage-loading">
          <Skeleton />
        </div>
      )}
      {summary && (
        <>
          <p id="usage-totals">
            <Dated
              text={say({
                en: `${inWords(summary.totals)}, from ${summary.window.start} to ${summary.window.end}.`,
                zh: `${summary.window.start} 至 ${summary.window.end}：${number(summary.totals.requests)} 次讀取、${number(summary.totals.credits)} 點、${number(summary.totals.rows)} 列，另有 ${number(summary.totals.errors)} 次遭拒或失敗（不計費）${givenZh(summary.totals)}。`,
              })}
            />
          </p>
          <Bars
            bars={everyDay(summary)}
            label={say({ en: 'Credits by day; the table below has the values', zh: '每日點數；數值見下表' })}
            unit={say({ en: 'credits', zh: '點' })}
          />
          <UsageTable
            heading={say(VIEWS[view.value].head)}
            lines={
              view.value === 'day'
                ? summary.by_day.toReversed().map(use => ({ ...use, name: use.day }))
                : view.value === 'dataset'
                  ? summary.by_dataset.map(use => ({ ...use, name: titleBy(use.slug) }))
                  : summary.by_key.map(use => ({ ...use, name: nameOfKey(use.key_id) }))
            }
          />
        </>
      )}
      <Ledger window={window.value} />
    </section>
  )
}

/** Returns the totals as English text, with the right plural forms. */
const inWords = ({ requests, credits, rows, errors, granted, refunded }: UsageTotals): string =>
  [
    `${number(requests)} ${requests === 1 ? 'read' : 'reads'}`,
    `${number(credits)} ${credits === 1 ? 'credit' : 'credits'}`,
    `${number(rows)} ${rows === 1 ? 'row' : 'rows'}`,
    `${number(errors)} refused or failed (free)`,
    ...(granted > 0 ? [`${number(granted)} credits granted`] : []),
    ...(refunded > 0 ? [`${number(refunded)} credits refunded`] : []),
  ].join(', ')

const givenZh = ({ granted, refunded }: UsageTotals): string =>
  `${granted > 0 ? `，贈點 ${number(granted)}` : ''}${refunded > 0 ? `，退點 ${number(refunded)}` : ''}`

/** Returns all days. Adds the days without reads, which the response omits. */
function everyDay({ window: { start, end }, by_day: days }: UsageSummary) {
  const credits = new Map(days.map(use => [use.day, use.credits]))
  const bars = []
  for (let time = Date.parse(start); time <= Date.parse(end); time += DAY_MS) {
    const day = new Date(time).toISOString().slice(0, 10)
    bars.push({ name: day.slice(5), value: credits.get(day) ?? 0 })
  }
  return bars
}
