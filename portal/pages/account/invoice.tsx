import type { BillingPreview } from '../../../clients/typescript/src/index.ts'
import { useTitles } from '../../api/catalog.ts'
import { useAnswer } from '../../api/use.ts'
import { number, say } from '../../parts/language.ts'
import { money } from '../../parts/money.ts'
import { RefusedRead } from '../../parts/refused-read.tsx'
import { Scroll } from '../../parts/scroll.tsx'
import { dayText } from '../../parts/time.ts'

/** Shows the estimated cost of the month, and the date of the next invoice. */
export function Invoice() {
  const answer = useAnswer<BillingPreview>({ path: '/v2/account/billing-preview', query: { window: 'month' } })
  const preview = answer.value.value
  const titleBy = useTitles()
  const { refused, again } = answer.value
  if (!preview) return refused && <RefusedRead refused={refused} plan={undefined} onRetry={again} />
  const label = say({ en: 'Estimate for this month', zh: '本月預估費用' })
  return (
    <>
      <h3>{label}</h3>
      <Scroll label={label}>
        <table id="invoice">
          <thead>
            <tr>
              <th>{say({ en: 'Item', zh: '項目' })}</th>
              <th class="number">{say({ en: 'Quantity', zh: '數量' })}</th>
              <th class="number">{say({ en: 'Credits', zh: '點數' })}</th>
              <th class="number">{say({ en: 'Amount', zh: '金額' })}</th>
            </tr>
          </thead>
          <tbody>
            {preview.lines.map(line => (
              <tr key={line.slug ?? 'plan'}>
                <th scope="row">{line.slug === null ? say({ en: 'Plan', zh: '方案' }) : titleBy(line.slug)}</th>
                <td class="number">{number(line.quantity)}</td>
                <td class="number">{number(line.credits)}</td>
                <td class="number">{money(line.amount, preview.currency)}</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row" colSpan={3}>
                {say({ en: 'Total before tax', zh: '未稅合計' })}
              </th>
              <td class="number">
                <b>{money(preview.total, preview.currency)}</b>
              </td>
            </tr>
          </tfoot>
        </table>
      </Scroll>
      <p>
        {preview.next_invoice_at === null
          ? say({ en: 'No upcoming invoice.', zh: '沒有待開立的帳單。' })
          : say({
              en: `The next invoice is due ${dayText(preview.next_invoice_at)}.`,
              zh: `下一張帳單於 ${dayText(preview.next_invoice_at)} 開立。`,
            })}{' '}
        <span class="dim">
          {say({
            en: 'The payment provider’s invoice is authoritative. Credits are included in the plan; reads cost no extra money.',
            zh: '實際金額以金流服務的帳單為準。點數已含於方案，讀取不另收費。',
          })}
        </span>
      </p>
    </>
  )
}
