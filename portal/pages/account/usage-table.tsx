import type { UsageOfDay } from '../../../clients/typescript/src/index.ts'
import { number, say } from '../../parts/language.ts'
import { Scroll } from '../../parts/scroll.tsx'

export function UsageTable({
  heading,
  lines,
}: {
  readonly heading: string
  readonly lines: readonly (Omit<UsageOfDay, 'day'> & { readonly name: string })[]
}) {
  if (lines.length === 0) return <p class="dim">{say({ en: 'No reads on these days.', zh: '此期間沒有讀取紀錄。' })}</p>
  const most = Math.max(...lines.map(line => line.credits), 1)
  return (
    <Scroll label={heading}>
      <table>
        <thead>
          <tr>
            <th>{heading}</th>
            <th class="number">{say({ en: 'Credits', zh: '點數' })}</th>
            <th />
            <th class="number">{say({ en: 'Reads', zh: '讀取次數' })}</th>
            <th class="number">{say({ en: 'Rows', zh: '列數' })}</th>
            <th class="number">{say({ en: 'Refused', zh: '遭拒' })}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(line => (
            <tr key={line.name}>
              <th scope="row">{line.name}</th>
              <td class="number">{number(line.credits)}</td>
              <td>
                <svg class="share" aria-hidden="true" viewBox="0 0 100 10" preserveAspectRatio="none">
                  <rect width={(line.credits / most) * 100} height="10" rx="1" />
                </svg>
              </td>
              <td class="number">{number(line.requests)}</td>
              <td class="number">{number(line.rows)}</td>
              <td class="number">{number(line.errors)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
