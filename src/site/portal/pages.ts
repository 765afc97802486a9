import type { Words } from '../../core/index.ts'

export interface DrawnPage {
  /** Path without a language, for example `/company/:symbol`. */
  readonly path: string
  /** Below `portal`. */
  readonly entry: string
  /** @param name the symbol or title of a dataset. Empty for other pages */
  readonly title: (name: string) => Words
  readonly description: (name: string) => Words
  readonly isPrivate?: true
  /**
   * True if the page's script keeps the title and the description. The description is then the
   * largest text of the page.
   */
  readonly keepsLead?: true
  /** Slugs of datasets, or `all`. Empty if the path contains the dataset. */
  readonly drawnFrom?: readonly string[] | 'all'
}

const always = (words: Words) => () => words

/** Pages whose content a script renders in the browser. */
export const DRAWN: readonly DrawnPage[] = [
  {
    path: '/company/:symbol',
    entry: 'pages/company/main.tsx',
    drawnFrom: 'all',
    title: symbol => ({ en: `${symbol}: prices, institutional trades, revenue, earnings`, zh: `${symbol}：股價、法人、營收、獲利` }),
    description: symbol => ({
      en: `Prices, institutional investors, monthly revenue, earnings, margin trading, foreign holding, valuation, dividends, shareholders and risk events of ${symbol}, with sources and freshness.`,
      zh: `${symbol}${/\p{Script=Han}$/u.test(symbol) ? '' : ' '}的股價與還原股價、三大法人買賣超、月營收、每季獲利、融資融券、外資持股、本益比與殖利率、除權息、股權分散與風險事件，附資料來源與更新時間。`,
    }),
  },
  {
    path: '/companies',
    entry: 'pages/companies/main.tsx',
    drawnFrom: ['securities', 'daily-prices', 'valuation'],
    title: always({ en: 'Companies by industry', zh: '公司列表與產業' }),
    description: always({
      en: 'All listed companies and funds by industry with price, change, turnover, P/E, P/B and dividend yield.',
      zh: '依產業列出所有上市櫃公司與基金的股價、漲跌、成交值、本益比、股價淨值比與殖利率。',
    }),
  },
  {
    path: '/compare',
    keepsLead: true,
    entry: 'pages/compare/main.tsx',
    drawnFrom: ['adjusted-prices', 'institutional-positioning', 'monthly-revenue', 'valuation'],
    title: always({ en: 'Compare securities', zh: '個股比較' }),
    description: always({
      en: 'Two to five securities in common charts: price change, institutional net buying, revenue growth and valuation. Lines start on the first day with all securities.',
      zh: '二至五檔證券同圖比較：股價漲跌、法人買賣超、營收年增率與評價。各線自所有證券皆有資料的首日起算。',
    }),
  },
  {
    path: '/market/yield-curve',
    keepsLead: true,
    entry: 'pages/market-yield-curve/main.tsx',
    drawnFrom: ['bond-yield-curve'],
    title: always({ en: 'Government bond yield curve', zh: '公債殖利率曲線' }),
    description: always({
      en: 'Yields of Taiwan’s government bonds by tenor on any day, with a comparison of two days.',
      zh: '臺灣公債各年期殖利率，可任選日期並比較兩日。',
    }),
  },
  {
    path: '/market/institutional',
    keepsLead: true,
    entry: 'pages/market-institutional/main.tsx',
    drawnFrom: ['institutional-positioning', 'daily-prices'],
    title: always({ en: 'Institutional investors', zh: '三大法人買賣超' }),
    description: always({
      en: 'Top net buying and selling of foreign investors, investment trusts and dealers on a day.',
      zh: '外資、投信、自營商單日買賣超排行。',
    }),
  },
  {
    path: '/market/indices',
    keepsLead: true,
    entry: 'pages/market-indices/main.tsx',
    drawnFrom: ['market-indices'],
    title: always({ en: 'Market indices', zh: '市場指數' }),
    description: always({
      en: 'All indices of both markets: closing value and change of the last day, and the history of each index as a chart.',
      zh: '上市與上櫃各類指數：最近交易日的收盤指數與漲跌，以及每一指數的歷史走勢圖。',
    }),
  },
  {
    path: '/market/heat-map',
    keepsLead: true,
    entry: 'pages/market-heat-map/main.tsx',
    drawnFrom: ['daily-prices', 'securities'],
    title: always({ en: 'Heat map by industry', zh: '產業熱力圖' }),
    description: always({
      en: 'The most traded securities of both markets on a day, grouped by industry. Area by turnover or market value, colour by change.',
      zh: '單日成交值最大的上市櫃證券，依產業分組。面積為成交值或市值，顏色為漲跌幅。',
    }),
  },
  {
    path: '/market/calendar',
    keepsLead: true,
    entry: 'pages/market-calendar/main.tsx',
    drawnFrom: 'all',
    title: always({ en: 'Data calendar', zh: '資料行事曆' }),
    description: always({
      en: 'Due dates, publications and overdue datasets.',
      zh: '各資料集何時更新、已發布與逾期情形。',
    }),
  },
  {
    path: '/explore/:slug',
    keepsLead: true,
    entry: 'pages/explore/main.tsx',
    title: name => ({ en: `Explore: ${name}`, zh: `探索：${name}` }),
    description: name => ({
      en: `Filter, sort and download ${name}; copy the query for curl, Python, R, TypeScript, Excel or DuckDB.`,
      zh: `篩選、排序與下載${name}，並可複製 curl、Python、R、TypeScript、Excel 或 DuckDB 查詢。`,
    }),
  },
  {
    path: '/screener',
    entry: 'pages/screener/main.tsx',
    title: always({ en: 'Screener', zh: '選股' }),
    description: always({
      en: 'Find securities of both markets by conditions on any figure, on any day.',
      zh: '依任意數值條件，篩選指定日期上市與上櫃的證券。',
    }),
  },
  {
    path: '/sql',
    entry: 'pages/sql/main.tsx',
    title: always({ en: 'SQL', zh: 'SQL 查詢' }),
    description: always({
      en: 'An editor for SQL over all datasets: joins, window functions, charts and downloads.',
      zh: '以 SQL 查詢所有資料集：聯結、視窗函式、圖表與下載。',
    }),
  },
  {
    path: '/account',
    entry: 'pages/account/main.tsx',
    title: always({ en: 'Account', zh: '帳戶' }),
    description: always({ en: 'Sign in, keys, usage, credits, plan.', zh: '登入、金鑰、用量、點數與方案。' }),
    isPrivate: true,
  },
  {
    path: '/operator',
    entry: 'pages/operator/main.tsx',
    title: always({ en: 'Operator', zh: '營運管理' }),
    description: always({ en: 'Releases, quarantine, feeds and queues of this service.', zh: '本服務的版本、遭拒檔案、資料來源與佇列。' }),
    isPrivate: true,
  },
]

export const DATASET_ENTRY = 'pages/dataset/main.tsx'
