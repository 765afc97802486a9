/** Not imported from `language.ts`, which uses the DOM, so that tests can import this module. */
type Words = Readonly<Record<'en' | 'zh', string>>

/** English names of industries, keyed by the Chinese name in rows. */
const INDUSTRIES: Readonly<Record<string, string>> = {
  水泥工業: 'Cement',
  食品工業: 'Food',
  塑膠工業: 'Plastics',
  紡織纖維: 'Textiles',
  電機機械: 'Electric Machinery',
  電器電纜: 'Electrical and Cable',
  化學生技醫療: 'Chemical, Biotechnology and Medical Care',
  玻璃陶瓷: 'Glass and Ceramics',
  造紙工業: 'Paper and Pulp',
  鋼鐵工業: 'Iron and Steel',
  橡膠工業: 'Rubber',
  汽車工業: 'Automobile',
  電子工業: 'Electronics',
  建材營造業: 'Building Materials and Construction',
  航運業: 'Shipping and Transportation',
  觀光餐旅: 'Tourism and Hospitality',
  金融保險業: 'Financial and Insurance',
  貿易百貨業: 'Trading and Consumer Goods',
  其他業: 'Others',
  化學工業: 'Chemical',
  生技醫療業: 'Biotechnology and Medical Care',
  油電燃氣業: 'Oil, Gas and Electricity',
  半導體業: 'Semiconductor',
  電腦及週邊設備業: 'Computer and Peripheral Equipment',
  光電業: 'Optoelectronic',
  通信網路業: 'Communications and Internet',
  電子零組件業: 'Electronic Parts and Components',
  電子通路業: 'Electronic Products Distribution',
  資訊服務業: 'Information Service',
  其他電子業: 'Other Electronic',
  文化創意業: 'Cultural and Creative',
  農業科技業: 'Agricultural Technology',
  電子商務業: 'E-Commerce',
  綠能環保: 'Green Energy and Environmental Services',
  數位雲端: 'Digital and Cloud Services',
  運動休閒: 'Sports and Leisure',
  居家生活: 'Household',
  存託憑證: 'Depositary Receipts',
}

/** Returns the name of an industry. An unknown name is not translated. */
export const industryWords = (name: string): Words => ({ en: INDUSTRIES[name] ?? name, zh: name })

/**
 * Sectors in the names of indices. Contains only sectors whose Chinese name differs between index
 * and industry.
 */
const INDEX_SECTORS: Readonly<Record<string, string>> = {
  水泥: 'Cement',
  食品: 'Food',
  塑膠: 'Plastics',
  造紙: 'Paper and Pulp',
  鋼鐵: 'Iron and Steel',
  橡膠: 'Rubber',
  汽車: 'Automobile',
  電子工業: 'Electronics',
  電子: 'Electronics',
  化學: 'Chemical',
  水泥窯製: 'Cement and Ceramics',
  塑膠化工: 'Plastics and Chemical',
  機電: 'Machinery and Electronics',
  半導體: 'Semiconductor',
  電腦及週邊設備: 'Computer and Peripheral Equipment',
  光電: 'Optoelectronic',
  通信網路: 'Communications and Internet',
  電子零組件: 'Electronic Parts and Components',
  電子通路: 'Electronic Products Distribution',
  資訊服務: 'Information Service',
  其他電子: 'Other Electronic',
  建材營造: 'Building Materials and Construction',
  航運: 'Shipping and Transportation',
  觀光: 'Tourism',
  金融保險: 'Financial and Insurance',
  貿易百貨: 'Trading and Consumer Goods',
  油電燃氣: 'Oil, Gas and Electricity',
  生技醫療: 'Biotechnology and Medical Care',
  其他: 'Others',
}

/** English names of indices that are not named after a sector. */
const INDICES: Readonly<Record<string, string>> = {
  發行量加權股價: 'TAIEX',
  發行量加權股價報酬: 'TAIEX Total Return',
  寶島股價: 'Formosa Index',
  櫃買: 'TPEx Index',
  櫃買富櫃200: 'TPEx 200 Index',
  臺灣全市場: 'Taiwan Broad Market Index',
  臺灣50: 'FTSE TWSE Taiwan 50 Index',
  臺灣中型100: 'FTSE TWSE Taiwan Mid-Cap 100 Index',
  臺灣資訊科技: 'FTSE TWSE Taiwan Technology Index',
  臺灣發達: 'FTSE TWSE Taiwan Eight Industries Index',
  臺灣高股息: 'FTSE TWSE Taiwan Dividend+ Index',
  未含金融: 'Non-Finance Index',
  未含電子: 'Non-Electronics Index',
  未含金融電子: 'Non-Finance Non-Electronics Index',
  小型股300: 'Small-Cap 300 Index',
  臺灣公司治理100: 'Corporate Governance 100 Index',
}

/** Returns the name of an index. An unknown name is not translated. */
export function indexWords(name: string): Words {
  const base = name.replace(/指數$/, '')
  const known = INDICES[base]
  if (known) return { en: known, zh: name }
  const [, sector = base, returns] = /^(.+?)類?(報酬)?$/.exec(base) ?? []
  const english = INDICES[sector] ?? (withIndex(INDEX_SECTORS[sector]) || withIndex(INDUSTRIES[sector] ?? INDUSTRIES[`${sector}業`]))
  if (!english) return { en: name, zh: name }
  return { en: returns ? `${english.replace(/ Index$/, '')} Total Return Index` : english, zh: name }
}

const withIndex = (sector: string | undefined): string => (sector === undefined ? '' : `${sector} Index`)

const TYPES: Readonly<Record<string, string>> = {
  股票: 'Stock',
  特別股: 'Preferred stock',
  創新板: 'Innovation board',
  ETF: 'ETF',
  ETN: 'ETN',
  臺灣存託憑證: 'Depositary receipt',
  '臺灣存託憑證(TDR)': 'Depositary receipt',
  受益證券: 'Beneficiary certificate',
  '受益證券-不動產投資信託': 'REIT',
  '受益證券-資產基礎證券': 'Asset-backed security',
  認購權證: 'Call warrant',
  認售權證: 'Put warrant',
  '上市認購(售)權證': 'Warrant',
  '上櫃認購(售)權證': 'Warrant',
}

export const securityTypeWords = (type: string): Words => ({ en: TYPES[type] ?? type, zh: type })

const MARKETS: Readonly<Record<string, Words>> = {
  TWSE: { en: 'Listed (TWSE)', zh: '上市' },
  TPEX: { en: 'OTC (TPEx)', zh: '上櫃' },
}

/** Returns the name of a market. Unknown markets are not translated. */
export const marketWords = (market: string): Words => MARKETS[market] ?? { en: market, zh: market }

/**
 * States the day on which a security left its market.
 *
 * @param market null if unknown
 */
export const delistedWords = (market: string | null, day: string): Words => ({
  en: `Delisted on ${day}${market === null ? '' : ` (${market})`}`,
  zh: `${day} 終止${market === null ? '上市（櫃）' : marketWords(market).zh}`,
})

/** Groups of datasets, in the order of the catalog page. */
const FAMILIES: Readonly<Record<string, Words>> = {
  market_structure: { en: 'Market and reference', zh: '行情與基本資料' },
  capital_flows: { en: 'Capital flows', zh: '籌碼' },
  financial_statements: { en: 'Financial statements', zh: '財務報表' },
  companies_events: { en: 'Company events', zh: '公司事件' },
  macroeconomics: { en: 'Macroeconomics', zh: '總體經濟' },
  internal: { en: 'Internal', zh: '內部' },
}

export const familyWords = (family: string): Words => {
  const plain = family.replaceAll('_', ' ')
  return FAMILIES[family] ?? { en: plain.charAt(0).toUpperCase() + plain.slice(1), zh: plain }
}
