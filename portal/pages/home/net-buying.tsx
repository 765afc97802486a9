import { useNames } from '../../api/names.ts'
import { useRows } from '../../api/use.ts'
import { linkTo, say } from '../../parts/language.ts'
import { sharesMeasure } from '../../parts/units.ts'

const MOST = 5
const NET = 'institutional_net_buy_total'

/** Shows the largest net purchases and sales of institutional investors, in shares. */
export function NetBuying({ day }: { readonly day: string }) {
  const [bought, sold] = [useLargest(day, `-${NET}`), useLargest(day, NET)]
  const tickers = [...bought, ...sold].map(({ ticker }) => ticker)
  const names = useRows(
    tickers.length < MOST * 2
      ? null
      : {
          path: '/v2/datasets/securities',
          query: { symbol: tickers.toSorted(), limit: MOST * 2, columns: 'ticker,name' },
          asVisitor: true,
        },
  )
  const listed = new Map(names.value.value?.rows.map(row => [row['ticker'] as string, row['name'] as string]))
  const nameOf = useNames(tickers.length < MOST * 2 ? [] : tickers, { areInRows: true, asVisitor: true })
  const volume = sharesMeasure()
  const most = Math.max(...[...bought, ...sold].map(({ net }) => Math.abs(net)), 1)
  const card = (title: string, lines: readonly Net[], way: 'up' | 'down') => (
    <article class="card">
      <h3>
        <a href={linkTo('/market/institutional')}>{title}</a>
      </h3>
      <ol class="nets">
        {lines.map(({ ticker, net }) => (
          <li key={ticker}>
            <a href={linkTo(`/company/${ticker}`)} title={nameOf(ticker, listed.get(ticker))}>
              <b>{ticker}</b> {nameOf(ticker, listed.get(ticker))}
            </a>
            <svg class={way} viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
              <rect width={(Math.abs(net) / most) * 100} height="8" rx="1" />
            </svg>
            <span class={`number ${way}`} title={volume.exact(net)}>
              {volume.plain(net)}
            </span>
          </li>
        ))}
      </ol>
      <p class="dim">{say({ en: `${day}, net ${volume.unit} of all institutions`, zh: `${day} 三大法人合計（${volume.unit}）` })}</p>
    </article>
  )
  return (
    <>
      {card(say({ en: 'Top net buying', zh: '買超排行' }), bought, 'up')}
      {card(say({ en: 'Top net selling', zh: '賣超排行' }), sold, 'down')}
    </>
  )
}

interface Net {
  readonly ticker: string
  readonly net: number
}

/** @param sort name of a column, with `-` for descending order */
function useLargest(day: string, sort: string): readonly Net[] {
  const answer = useRows({
    path: '/v2/datasets/institutional-positioning/cross-section',
    query: { date: day, sort, limit: MOST, columns: `ticker,${NET}` },
    asVisitor: true,
  })
  return (answer.value.value?.rows ?? []).map(row => ({ ticker: row['ticker'] as string, net: row[NET] as number }))
}
