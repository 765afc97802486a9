import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useNames } from '../../api/names.ts'
import { fixed, linkTo, say, type Words } from '../../parts/language.ts'
import { industryWords } from '../../parts/market-words.ts'
import { Scroll } from '../../parts/scroll.tsx'
import { Star } from '../../parts/star.tsx'
import { changeText, moneyMeasure, sharesMeasure } from '../../parts/units.ts'
import type { Listed, Sort } from './listing.ts'

/** Number of rows to draw first, and to add with the button. */
const STEP = 100

interface TableProps {
  readonly rows: readonly Listed[]
  readonly order: string
  readonly hasIndustry: boolean
  readonly onOrder: (order: string) => void
}

const heads = (): readonly { readonly sort: Sort; readonly words: Words }[] => [
  { sort: 'close', words: { en: 'Close', zh: '收盤價' } },
  { sort: 'change', words: { en: 'Change', zh: '漲跌幅' } },
  { sort: 'turnover', words: { en: `Turnover, ${moneyMeasure().unit}`, zh: `成交值（${moneyMeasure().unit}）` } },
  { sort: 'volume', words: { en: `Volume, ${sharesMeasure().unit}`, zh: `成交量（${sharesMeasure().unit}）` } },
  { sort: 'pe', words: { en: 'P/E', zh: '本益比' } },
  { sort: 'pb', words: { en: 'P/B', zh: '股價淨值比' } },
  { sort: 'dividend', words: { en: 'Yield', zh: '殖利率' } },
]

export function Table({ rows, order, hasIndustry, onOrder }: TableProps) {
  const count = useSignal(STEP)
  useEffect(() => {
    count.value = STEP
  }, [rows])
  const shown = rows.slice(0, count.value)
  const nameOf = useNames(
    shown.map(({ ticker }) => ticker),
    { areInRows: true },
  )
  const [money, volume] = [moneyMeasure(), sharesMeasure()]
  const label = say({ en: 'Securities', zh: '證券' })
  const head = (sort: Sort, words: Words, isNumber = true) => {
    const direction = order === sort ? 'ascending' : order === `-${sort}` ? 'descending' : undefined
    return (
      <th key={sort} scope="col" class={isNumber ? 'number' : undefined} aria-sort={direction}>
        <button type="button" class="sort" onClick={() => onOrder(order === `-${sort}` ? sort : `-${sort}`)}>
          {say(words)} <span aria-hidden="true">{direction === 'ascending' ? '▲' : direction === 'descending' ? '▼' : '↕'}</span>
        </button>
      </th>
    )
  }
  return (
    <>
      <Scroll label={label}>
        <table class="listing">
          <thead>
            <tr>
              {head('ticker', { en: 'Security', zh: '證券' }, false)}
              {heads().map(({ sort, words }) => head(sort, words))}
              {hasIndustry && head('industry', { en: 'Industry', zh: '產業' }, false)}
            </tr>
          </thead>
          <tbody>
            {shown.map(row => (
              <tr key={row.ticker}>
                <th scope="row">
                  <div>
                    <Star symbol={row.ticker} />
                    <a href={linkTo(`/company/${encodeURIComponent(row.ticker)}`)}>{nameOf(row.ticker, row.name)}</a>
                    <code>{row.ticker}</code>
                  </div>
                </th>
                <td class="number">{fixed(row.close, 2)}</td>
                <td class={`number ${wayOf(row.change)}`}>{changeText(row.change)}</td>
                <td class="number" title={money.exact(row.turnover)}>
                  {money.plain(row.turnover)}
                </td>
                <td class="number" title={volume.exact(row.volume)}>
                  {volume.plain(row.volume)}
                </td>
                <td class="number">{fixed(row.pe, 2)}</td>
                <td class="number">{fixed(row.pb, 2)}</td>
                <td class="number">{row.dividend === null ? '–' : `${fixed(row.dividend, 2)}%`}</td>
                {hasIndustry && <td>{row.industry === null ? '–' : say(industryWords(row.industry))}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {rows.length > count.value && (
        <p>
          <button
            type="button"
            onClick={() => {
              count.value += STEP
            }}
          >
            {say({
              en: `Show ${Math.min(STEP, rows.length - count.value)} more`,
              zh: `再顯示 ${Math.min(STEP, rows.length - count.value)} 檔`,
            })}
          </button>
        </p>
      )}
    </>
  )
}

const wayOf = (change: number | null): string => (change === null || change === 0 ? '' : change > 0 ? 'up' : 'down')
