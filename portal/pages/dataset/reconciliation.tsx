import type { Reconciliation as ReconciliationAnswer } from '../../../clients/typescript/src/index.ts'
import { useTitles } from '../../api/catalog.ts'
import { useAnswer } from '../../api/use.ts'
import { SampleBadge } from '../../parts/facts.tsx'
import { badgeReasonWords, gapWords } from '../../parts/labels.ts'
import { LANGUAGE, linkTo, number, say, type Words } from '../../parts/language.ts'
import { RefusedRead } from '../../parts/refused-read.tsx'
import { Scroll } from '../../parts/scroll.tsx'
import { moment } from '../../parts/time.ts'

const BADGE: Readonly<Record<string, { readonly words: Words; readonly state: string }>> = {
  verified: { words: { en: 'matches', zh: '相符' }, state: 'state-fresh' },
  partial: { words: { en: 'partly compared', zh: '部分比對' }, state: 'state-due' },
  mismatch: { words: { en: 'does not match', zh: '不符' }, state: 'state-late' },
  not_checked: { words: { en: 'not compared', zh: '未比對' }, state: '' },
}

interface BadgeProps {
  readonly badge: string
  /** True if the rows are samples. Their comparison does not count. */
  readonly isSample: boolean
}

function Badge({ badge, isSample }: BadgeProps) {
  if (isSample) return <SampleBadge />
  const { words, state } = BADGE[badge] ?? { words: gapWords(badge), state: '' }
  return <span class={`badge ${state}`}>{say(words)}</span>
}

export function Reconciliation({ slug }: { readonly slug: string }) {
  const { value, refused, again } = useAnswer<ReconciliationAnswer>({ path: `/v2/data-catalog/reconciliation/${slug}` }).value
  const titleBy = useTitles()
  const label = say({ en: 'Reconciliation', zh: '與其他來源比對' })
  return (
    <section id="reconciliation">
      <h2>
        {label} {value && <Badge badge={value.badge} isSample={value.synthetic} />}
      </h2>
      {refused && <RefusedRead refused={refused} plan={undefined} onRetry={again} />}
      {value?.badge_reason ? <p class="dim">{say(badgeReasonWords(value.badge_reason))}</p> : null}
      {value && value.methods.length === 0 ? <p>{say({ en: 'No other source to compare with.', zh: '沒有可供比對的來源。' })}</p> : null}
      {value && value.methods.length > 0 && (
        <Scroll label={label}>
          <table>
            <thead>
              <tr>
                <th>{say({ en: 'Comparison', zh: '比對內容' })}</th>
                <th>{say({ en: 'Outcome', zh: '結果' })}</th>
                <th class="number">{say({ en: 'Compared', zh: '比對列數' })}</th>
                <th class="number">{say({ en: 'Differ', zh: '不符' })}</th>
                <th>{say({ en: 'When', zh: '時間' })}</th>
              </tr>
            </thead>
            <tbody>
              {value.methods.map(method => (
                <tr key={`${method.slug} ${method.method}`}>
                  <td class="what">
                    {LANGUAGE === 'en' && <b>{gapWords(method.method).en} </b>}
                    {method.slug === value.slug ? null : <a href={linkTo(`/datasets/${method.slug}`)}>{titleBy(method.slug)}</a>}
                    {LANGUAGE === 'en' || method.slug !== value.slug ? <br /> : null}
                    <span title={method.method}>{LANGUAGE === 'zh' ? method.description_zh : method.description}</span>
                  </td>
                  <td>
                    <Badge badge={method.badge} isSample={value.synthetic} />
                  </td>
                  <td class="number">{number(method.rows_compared, 0)}</td>
                  <td class="number">{number(method.mismatched, 0)}</td>
                  <td>{moment(method.compared_at)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </section>
  )
}
