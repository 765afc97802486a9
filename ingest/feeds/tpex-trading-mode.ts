import { dayOf, type Feed } from '../formats/index.ts'
import { CODE, DATE, type Flag, isBlank, type Named, openData, parseFlags, symbolOf } from './shared/risk-flags.ts'

const ALTERED: Named = ['AlteredTrading', '變更交易', '變更交易方法']
const PERIODIC: Named = ['PeriodicTrading', '分盤交易']
const MANAGED: Named = ['ManagedStock', '管理股票']
const SUSPENDED: Named = ['SuspensionOfTrading', '停止交易', '停止買賣']
const URL = 'https://www.tpex.org.tw/openapi/v1/tpex_cmode'

const feed: Feed = {
  name: 'tpex-trading-mode',
  title: 'TPEx securities with altered trading, managed or suspended, open data tpex_cmode: JSON or CSV (with --date)',
  datasets: ['company-risk-events'],
  url: URL,
  fetch: openData(URL, true),
  nothing: /./,
  parse: parseFlags({
    feed: 'tpex-trading-mode',
    called: { en: 'the list of altered trading (tpex_cmode)', zh: '變更交易方法清單（tpex_cmode）' },
    authority: 'TPEX',
    columns: [CODE, ALTERED, MANAGED, SUSPENDED],
    flagsOf(cell) {
      if (isBlank(cell)) return []
      // Full-width letters are already normalized here. The printed day is the day of the list.
      const is = (column: Named): boolean => cell(column).toUpperCase() === 'Y'
      const common = { symbol: symbolOf(cell), announced: dayOf(cell(DATE)) ?? null }
      const altered = is(PERIODIC) ? '變更交易方法，分盤交易' : '變更交易方法'
      return [
        ...(is(ALTERED) ? [{ ...common, type: 'altered_trading', reason: altered } satisfies Flag] : []),
        ...(is(MANAGED) ? [{ ...common, type: 'managed_stock', reason: '管理股票' } satisfies Flag] : []),
        ...(is(SUSPENDED) ? [{ ...common, type: 'suspension', reason: '停止交易' } satisfies Flag] : []),
      ]
    },
  }),
}

export default feed
