import type { FlatFeed } from '../formats/index.ts'

const feed: FlatFeed = {
  name: 'tpex-market-breadth',
  title: 'TPEx summary of stocks on one day, with advances and declines: JSON',
  dataset: 'market-breadth',
  called: { en: 'the TPEx daily summary of stocks', zh: '上櫃股票當日彙總資訊' },
  url: 'https://www.tpex.org.tw/zh-tw/mainboard/trading/info/daily-highlights.html',
  fetch: [
    {
      period: 'day',
      requests: [{ url: 'https://www.tpex.org.tw/www/zh-tw/afterTrading/highlight?date={YYYY/MM/DD}&response=json' }],
    },
  ],
  daily: 'TPEX',
  columns: {
    market: { always: 'TPEX' },
    scope: { always: 'stocks' },
    advances: '上漲家數',
    limit_up: '漲停家數',
    declines: '下跌家數',
    limit_down: '跌停家數',
    unchanged: '平盤家數',
    no_trade: '未成交(含暫停交易)家數',
    no_comparison: { always: null },
    listed: '上櫃家數',
  },
}

export default feed
