import type { Freshness } from '../../../clients/typescript/src/index.ts'
import { useAnswer } from '../../api/use.ts'
import { cadenceWords, freshnessWords } from '../../parts/labels.ts'
import { number, say } from '../../parts/language.ts'
import { RefusedRead } from '../../parts/refused-read.tsx'
import { moment } from '../../parts/time.ts'

export function Timeliness({ slug }: { readonly slug: string }) {
  const { value, refused, again } = useAnswer<Freshness>({ path: `/v2/datasets/${slug}/freshness` }).value
  return (
    <section>
      <h2>{say({ en: 'Freshness', zh: '更新時效' })}</h2>
      {refused && <RefusedRead refused={refused} plan={undefined} onRetry={again} />}
      {value && (
        <dl>
          <dt>{say({ en: 'State', zh: '狀態' })}</dt>
          <dd class={`state-${value.freshness_state}`}>{say(freshnessWords(value.freshness_state))}</dd>
          <dt>{say({ en: 'Complete until', zh: '完整至' })}</dt>
          <dd>{value.freshness_as_of ?? '–'}</dd>
          <dt>{say({ en: 'Published', zh: '發布時間' })}</dt>
          <dd>{moment(value.last_published_at)}</dd>
          <dt>{say({ en: 'Frequency', zh: '更新頻率' })}</dt>
          <dd>{say(cadenceWords(value.cadence))}</dd>
          <dt>{say({ en: 'Next due', zh: '下次更新' })}</dt>
          <dd>{value.next_expected_at === null ? say({ en: 'not scheduled', zh: '未定' }) : moment(value.next_expected_at)}</dd>
          {value.lag_days !== null && value.lag_days > 0 ? (
            <>
              <dt>{say({ en: 'Behind', zh: '落後' })}</dt>
              <dd>
                {say({ en: value.lag_days === 1 ? '1 day' : `${number(value.lag_days, 0)} days`, zh: `${number(value.lag_days, 0)} 日` })}
              </dd>
            </>
          ) : null}
        </dl>
      )}
      {value?.note ? <p class="notice">{value.note}</p> : null}
    </section>
  )
}
