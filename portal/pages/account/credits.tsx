import type { Account } from '../../../clients/typescript/src/index.ts'
import { number, planName, say } from '../../parts/language.ts'
import { moment } from '../../parts/time.ts'

/** Keeps a number and its word in one line. */
const NBSP = '\u00a0'
/** Forbids a line break between two Chinese characters. */
const JOINER = '\u2060'

export function Credits({ credits, plan_id: plan, row_limit: rows, rate_limits: limits }: Account) {
  const { included, granted, refunded, remaining, used, resets_at: resetsAt } = credits
  const all = included + granted + refunded
  return (
    <section class="tiles" aria-label={say({ en: 'Plan and credits', zh: '方案與點數' })}>
      <div class="tile">
        <h2>{say({ en: 'Credits left', zh: '剩餘點數' })}</h2>
        <p class="large" id="credits-left">
          {number(remaining, 0)}
        </p>
        <meter min={0} max={all} value={remaining} low={all / 5} aria-label={say({ en: 'Credits left this month', zh: '本月剩餘點數' })} />
        <p class="dim">
          {say({
            en: `of${NBSP}${number(all, 0)}; ${number(used, 0)}${NBSP}used`,
            zh: `共${NBSP}${number(all, 0)}，已${JOINER}用${NBSP}${number(used, 0)}`,
          })}
        </p>
        {all > included && (
          <p class="dim" id="credits-given">
            {say({
              en: `${number(granted, 0)} granted, ${number(refunded, 0)} refunded`,
              zh: `含贈點 ${number(granted, 0)}、退點 ${number(refunded, 0)}`,
            })}
          </p>
        )}
      </div>
      <div class="tile">
        <h2>{say({ en: 'Renewal', zh: '重置時間' })}</h2>
        <p class="large">{moment(resetsAt)}</p>
        <p class="dim">{say({ en: 'Taipei time', zh: '臺北時間' })}</p>
      </div>
      <div class="tile">
        <h2>{say({ en: 'Plan', zh: '方案' })}</h2>
        <p class="large" id="plan-name">
          {planName(plan)}
        </p>
        <p class="dim">
          {say({
            en: `${number(rows)} rows per response, ${number(limits.requests_per_minute)} requests per minute`,
            zh: `每次讀取最多 ${number(rows)} 列，每分鐘最多 ${number(limits.requests_per_minute)} 次請求`,
          })}
        </p>
      </div>
    </section>
  )
}
