import type { FeedRun } from '../../../clients/typescript/src/index.ts'
import { number, say } from '../../parts/language.ts'
import { InBoth } from '../../parts/quoted.tsx'
import { Scroll } from '../../parts/scroll.tsx'
import { dayText, moment } from '../../parts/time.ts'
import { RUN, riskWords } from './attention.ts'
import { Nothing, Section } from './section.tsx'
import { titleBy } from './state.ts'

const urgency = ({ last_run: run, at_risk: risk }: FeedRun): number =>
  risk !== null ? 0 : run === null ? 3 : run.outcome === 'came' ? 2 : 1

export function Feeds() {
  return (
    <Section name="feeds" title={{ en: 'Feeds', zh: '資料來源' }}>
      {({ data }) =>
        data.length === 0 ? (
          <Nothing>{say({ en: 'No feeds to fetch.', zh: '沒有可自動取得的資料來源。' })}</Nothing>
        ) : (
          <Scroll label={say({ en: 'Feeds', zh: '資料來源' })}>
            <table>
              <thead>
                <tr>
                  <th>{say({ en: 'Feed', zh: '來源' })}</th>
                  <th>{say({ en: 'Last run', zh: '上次執行' })}</th>
                  <th>{say({ en: 'Outcome', zh: '結果' })}</th>
                  <th>{say({ en: 'Next run', zh: '下次執行' })}</th>
                  <th>{say({ en: 'Data to', zh: '資料至' })}</th>
                  <th class="number">{say({ en: 'Failed', zh: '連續失敗' })}</th>
                  <th>{say({ en: 'Due', zh: '預定時間' })}</th>
                  <th>{say({ en: 'History', zh: '來源保留期間' })}</th>
                  <th>{say({ en: 'Datasets', zh: '資料集' })}</th>
                </tr>
              </thead>
              <tbody>
                {[...data]
                  .sort((one, other) => urgency(one) - urgency(other))
                  .map(feed => (
                    <Line key={feed.feed} {...feed} />
                  ))}
              </tbody>
            </table>
          </Scroll>
        )
      }
    </Section>
  )
}

function historyText(history: FeedRun['history'], days: number | null): string {
  if (history === 'all') return say({ en: 'all', zh: '全部' })
  if (history === 'newest' || days === null) return say({ en: 'newest only', zh: '僅最新' })
  return say({ en: `${number(days)} days`, zh: `${number(days)} 天` })
}

const Line = ({
  feed,
  last_run: run,
  next_at: next,
  covers,
  tries,
  due,
  due_zh: dueZh,
  history,
  history_days: historyDays,
  at_risk: risk,
  datasets,
  needs_consent: hosts,
}: FeedRun) => (
  <tr>
    <th scope="row">{feed}</th>
    <td>{run ? moment(run.at) : say({ en: 'never', zh: '從未' })}</td>
    <td class="words">
      {run && (
        <>
          <b class={run.outcome === 'came' ? 'state-fresh' : 'state-late'}>{say(RUN[run.outcome])}</b>{' '}
          <InBoth en={run.said} zh={run.said_zh ?? null} />
        </>
      )}
      {hosts.length > 0 && (
        <span class="dim">
          {say({ en: 'Not fetched; hosts without consent: ', zh: '未下載；尚未取得同意的主機：' })}
          {hosts.join(', ')}
        </span>
      )}
    </td>
    <td>{moment(next)}</td>
    <td>{dayText(covers)}</td>
    <td class="number">{number(tries)}</td>
    <td>{say({ en: due, zh: dueZh })}</td>
    <td>
      {historyText(history, historyDays)}
      {risk && (
        <>
          {' '}
          <b class="state-late">{say(riskWords(risk))}</b> ({moment(risk.lost_at)})
        </>
      )}
    </td>
    <td>{datasets.map(titleBy).join(say({ en: ', ', zh: '、' }))}</td>
  </tr>
)
