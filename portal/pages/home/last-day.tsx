import type { Refused } from '../../api/client.ts'
import { useRows } from '../../api/use.ts'
import { linkTo, number, say, signed } from '../../parts/language.ts'
import { indexWords } from '../../parts/market-words.ts'
import { RefusedRead } from '../../parts/refused-read.tsx'
import { Spark } from '../../parts/spark.tsx'
import { changeText } from '../../parts/units.ts'
import { NetBuying } from './net-buying.tsx'

const DAYS = 90
/** Weighted index of TWSE (TAIEX). */
const INDEX = 'IX0001'

/** True if the operator does not admit visitors. */
const isClosed = ({ status }: Refused): boolean => status === 401 || status === 403

/**
 * Shows the index, and the largest net purchases and sales of institutional investors. Empty if
 * visitors are not admitted. Reads as a visitor, so that the home page costs no credits.
 *
 * @param day newest trading day, from the server
 */
export function LastDay({ day }: { readonly day: string | null }) {
  const answer = useRows({
    path: '/v2/datasets/market-indices',
    query: { index_code: INDEX, limit: DAYS, columns: 'trade_date,name,value,change,change_pct' },
    asVisitor: true,
  })
  const rows = answer.value.value?.rows ?? []
  const { refused } = answer.value
  // Any other refusal is shown as a failure.
  if (refused) return isClosed(refused) ? null : <RefusedRead refused={refused} plan={undefined} onRetry={() => location.reload()} />
  const [last] = rows
  const values = rows.map(row => row['value'] as number).toReversed()
  return (
    <section class="last-day" aria-labelledby="last-day">
      <h2 id="last-day">
        {say({ en: 'The last day', zh: '最近交易日' })} <small class="dim">{(last?.['trade_date'] as string | undefined) ?? day}</small>
      </h2>
      <div class="cards">
        <article class="card">
          <h3>
            <a href={linkTo(`/market/indices?index=${INDEX}`)}>
              {last ? say(indexWords(String(last['name']))) : say({ en: 'Index', zh: '指數' })}
            </a>
          </h3>
          {last && (
            <>
              <p class="large">
                {number(last['value'] as number)}{' '}
                <span class={(last['change'] as number) >= 0 ? 'up' : 'down'}>
                  {signed(last['change'] as number | null)} ({changeText(last['change_pct'] as number | null)})
                </span>
              </p>
              <Spark
                values={values}
                label={say({
                  en: `Closing values of ${values.length} trading days, from ${number(Math.min(...values))} to ${number(Math.max(...values))}`,
                  zh: `近 ${values.length} 個交易日收盤，介於 ${number(Math.min(...values))} 與 ${number(Math.max(...values))}`,
                })}
              />
              <p class="dim">{say({ en: `${values.length} trading days`, zh: `近 ${values.length} 個交易日` })}</p>
            </>
          )}
        </article>
        {day && <NetBuying day={day} />}
      </div>
    </section>
  )
}
