/** Not imported from `language.ts`, which uses the DOM, so that tests can import this module. */
type Words = Readonly<Record<'en' | 'zh', string>>

/** A page or guide that the search box can find. */
export interface Place {
  readonly type: 'page' | 'guide'
  readonly path: string
  readonly words: Words
  readonly keywords?: string
}

const page = (path: string, en: string, zh: string, keywords = ''): Place => ({ type: 'page', path, words: { en, zh }, keywords })

export const PAGES: readonly Place[] = [
  page('/companies', 'Companies by industry', '公司列表與產業', 'stocks list industry screener 股票 產業 類股'),
  page('/companies?type=etf', 'ETFs', 'ETF 列表', 'funds 基金'),
  page('/companies?list=watchlist', 'Watchlist', '自選股', 'favourites 我的最愛'),
  page('/compare', 'Compare securities', '個股比較', 'versus 對比'),
  page('/market/institutional', 'Institutional investors', '三大法人買賣超', 'foreign net buying ranking 外資 投信 自營商 排行'),
  page('/market/heat-map', 'Heat map', '產業熱力圖', 'treemap industry 產業 類股'),
  page('/market/indices', 'Market indices', '市場指數', 'taiex 加權指數 大盤'),
  page('/market/yield-curve', 'Government bond yield curve', '公債殖利率曲線', 'bonds interest rates 債券 利率 殖利率'),
  page('/market/calendar', 'Data calendar', '資料行事曆', 'freshness due overdue 更新 逾期'),
  page('/screener', 'Screener', '選股', 'filter conditions stock picking 條件 篩選'),
  page('/explore/daily-prices', 'Explore', '探索', 'rows table download csv 資料列 下載'),
  page('/sql', 'SQL', 'SQL 查詢', 'query editor join 查詢'),
  page('/datasets', 'Datasets', '資料集', 'catalog 目錄'),
  page('/status', 'Status', '服務狀態', 'freshness overdue uptime 狀態 逾期'),
  page('/docs', 'Documentation', '文件', 'api reference guide 說明 指南'),
  page('/account', 'Account, keys and plans', '帳戶、金鑰與方案', 'sign in key usage credits 登入 點數'),
  page('/pricing', 'Plans and prices', '方案與價格', 'cost credits subscribe 價格 點數 付費'),
]

/**
 * Returns the places that contain every word of a text. Titles that start with the text come
 * first.
 */
export function placesFor(text: string, places: readonly Place[], most: number): readonly Place[] {
  const typed = text.trim().toLowerCase()
  if (typed === '') return []
  const parts = typed.split(/\s+/)
  const textOf = ({ words, keywords = '' }: Place) => `${words.en} ${words.zh} ${keywords}`.toLowerCase()
  const startsWith = ({ words }: Place) => words.en.toLowerCase().startsWith(typed) || words.zh.toLowerCase().startsWith(typed)
  return places
    .filter(place => parts.every(part => textOf(place).includes(part)))
    .sort((a, b) => Number(startsWith(b)) - Number(startsWith(a)))
    .slice(0, most)
}
