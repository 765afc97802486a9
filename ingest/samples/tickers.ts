import { lastSession } from './sessions.ts'

export interface Ticker {
  readonly code: string
  readonly name: string
  readonly market: 'TWSE' | 'TPEX'
  /** As named by the exchange. Null for funds. */
  readonly industry: string | null
}

const LISTED: readonly (readonly [code: string, name: string, market: 'TWSE' | 'TPEX', industry: string | null])[] = [
  ['0050', '元大台灣50', 'TWSE', null],
  ['0056', '元大高股息', 'TWSE', null],
  ['006201', '元大富櫃50', 'TPEX', null],
  ['006208', '富邦台50', 'TWSE', null],
  ['00632R', '元大台灣50反1', 'TWSE', null],
  ['00679B', '元大美債20年', 'TPEX', null],
  ['00878', '國泰永續高股息', 'TWSE', null],
  ['1101', '台泥', 'TWSE', '水泥工業'],
  ['1216', '統一', 'TWSE', '食品工業'],
  ['1301', '台塑', 'TWSE', '塑膠工業'],
  ['1303', '南亞', 'TWSE', '塑膠工業'],
  ['1565', '精華', 'TPEX', '生技醫療業'],
  ['1590', '亞德客-KY', 'TWSE', '電機機械'],
  ['2002', '中鋼', 'TWSE', '鋼鐵工業'],
  ['2207', '和泰車', 'TWSE', '汽車工業'],
  ['2303', '聯電', 'TWSE', '半導體業'],
  ['2308', '台達電', 'TWSE', '電子零組件業'],
  ['2317', '鴻海', 'TWSE', '其他電子業'],
  ['2327', '國巨*', 'TWSE', '電子零組件業'],
  ['2330', '台積電', 'TWSE', '半導體業'],
  ['2345', '智邦', 'TWSE', '通信網路業'],
  ['2357', '華碩', 'TWSE', '電腦及週邊設備業'],
  ['2379', '瑞昱', 'TWSE', '半導體業'],
  ['2382', '廣達', 'TWSE', '電腦及週邊設備業'],
  ['2412', '中華電', 'TWSE', '通信網路業'],
  ['2454', '聯發科', 'TWSE', '半導體業'],
  ['2597', '潤弘', 'TWSE', '建材營造業'],
  ['2603', '長榮', 'TWSE', '航運業'],
  ['2609', '陽明', 'TWSE', '航運業'],
  ['2615', '萬海', 'TWSE', '航運業'],
  ['2618', '長榮航', 'TWSE', '航運業'],
  ['2880', '華南金', 'TWSE', '金融保險業'],
  ['2881', '富邦金', 'TWSE', '金融保險業'],
  ['2881A', '富邦特', 'TWSE', '金融保險業'],
  ['2882', '國泰金', 'TWSE', '金融保險業'],
  ['2884', '玉山金', 'TWSE', '金融保險業'],
  ['2886', '兆豐金', 'TWSE', '金融保險業'],
  ['2891', '中信金', 'TWSE', '金融保險業'],
  ['2892', '第一金', 'TWSE', '金融保險業'],
  ['2912', '統一超', 'TWSE', '貿易百貨業'],
  ['3008', '大立光', 'TWSE', '光電業'],
  ['3034', '聯詠', 'TWSE', '半導體業'],
  ['3037', '欣興', 'TWSE', '電子零組件業'],
  ['3105', '穩懋', 'TPEX', '半導體業'],
  ['3293', '鈊象', 'TPEX', '文化創意業'],
  ['3324', '雙鴻', 'TPEX', '其他電子業'],
  ['3529', '力旺', 'TPEX', '半導體業'],
  ['3711', '日月光投控', 'TWSE', '半導體業'],
  ['4904', '遠傳', 'TWSE', '通信網路業'],
  ['4966', '譜瑞-KY', 'TPEX', '半導體業'],
  ['5274', '信驊', 'TPEX', '半導體業'],
  ['5347', '世界', 'TPEX', '半導體業'],
  ['5483', '中美晶', 'TPEX', '半導體業'],
  ['5880', '合庫金', 'TWSE', '金融保險業'],
  ['5904', '寶雅', 'TPEX', '居家生活'],
  ['6446', '藥華藥', 'TWSE', '生技醫療業'],
  ['6488', '環球晶', 'TPEX', '半導體業'],
  ['6505', '台塑化', 'TWSE', '油電燃氣業'],
  ['6669', '緯穎', 'TWSE', '電腦及週邊設備業'],
  ['8044', '網家', 'TPEX', '數位雲端'],
  ['8069', '元太', 'TPEX', '光電業'],
  ['8299', '群聯', 'TPEX', '半導體業'],
  ['9904', '寶成', 'TWSE', '運動休閒'],
  ['9910', '豐泰', 'TWSE', '運動休閒'],
]

/** Codes, names, markets and industries are facts. All figures of the samples are fictitious. */
export const TICKERS: readonly Ticker[] = LISTED.map(([code, name, market, industry]) => ({ code, name, market, industry }))

/** Securities whose issuers file financial reports. */
export const COMPANIES: readonly Ticker[] = TICKERS.filter(({ code, industry }) => industry !== null && /^\d{4}$/.test(code))

/** Generates the names of all tickers. Samples must not invent ISINs and listing days. */
export function listedSecurities(until: string) {
  const asOf = lastSession(until)
  return TICKERS.map(ticker => ({
    ticker: ticker.code,
    market: ticker.market,
    name: ticker.name,
    security_type: typeOf(ticker),
    industry: ticker.industry,
    isin: null,
    listed_on: null,
    cfi: null,
    as_of_date: asOf,
    source_name: 'synthetic_sample',
  }))
}

const typeOf = ({ code, industry }: Ticker): string => (industry === null ? 'ETF' : /^\d{4}$/.test(code) ? '股票' : '特別股')

const ENGLISH: Readonly<Record<string, string>> = {
  '1101': 'TCC',
  '1216': 'UNI-PRESIDENT',
  '1301': 'FPC',
  '1303': 'NPC',
  '1565': 'ST.SHINE',
  '1590': 'AIRTAC',
  '2002': 'CSC',
  '2207': 'HOTAI',
  '2303': 'UMC',
  '2308': 'DELTA',
  '2317': 'HON HAI',
  '2327': 'YAGEO',
  '2330': 'TSMC',
  '2345': 'ACCTON',
  '2357': 'ASUSTEK',
  '2379': 'REALTEK',
  '2382': 'QUANTA',
  '2412': 'CHT',
  '2454': 'MediaTek',
  '2597': 'RUENTEX E&C',
  '2603': 'EVERGREEN',
  '2609': 'YMTC',
  '2615': 'WHL',
  '2618': 'EVA',
  '2880': 'HNFHC',
  '2881': 'FUBON FINANCIAL',
  '2881A': 'FUBON PREF A',
  '2882': 'CATHAY HOLDINGS',
  '2884': 'E.S.F.H',
  '2886': 'MEGA FHC',
  '2891': 'CTBC HOLDING',
  '2892': 'FFHC',
  '2912': 'PCSC',
  '3008': 'LARGAN',
  '3034': 'NOVATEK',
  '3037': 'UNIMICRON',
  '3105': 'WIN',
  '3293': 'IGS',
  '3324': 'AURAS',
  '3529': 'EMEMORY',
  '3711': 'ASEH',
  '4904': 'FET',
  '4966': 'PARADE',
  '5274': 'ASPEED',
  '5347': 'VIS',
  '5483': 'SAS',
  '5880': 'TCFHC',
  '5904': 'POYA',
  '6446': 'PEC',
  '6488': 'GWC',
  '6505': 'FPCC',
  '6669': 'WIWYNN',
  '8044': 'PCHOME',
  '8069': 'E INK',
  '8299': 'PHISON',
  '9904': 'PCC',
  '9910': 'FENG TAY',
}

export function companyNames(until: string) {
  const asOf = lastSession(until)
  return TICKERS.filter(({ industry }) => industry !== null).map(({ code, name }) => ({
    ticker: code,
    name,
    english_name: ENGLISH[code] ?? null,
    as_of_date: asOf,
    source_name: 'synthetic_sample',
  }))
}

const ENGLISH_OF_FUNDS: Readonly<Record<string, string>> = {
  '0050': 'Yuanta/P-shares Taiwan Top 50 ETF',
  '0056': 'Yuanta/P-shares Taiwan Dividend Plus ETF',
  '006201': 'Yuanta/P-shares Taiwan GreTai 50 ETF',
  '006208': 'Fubon FTSE TWSE Taiwan 50 ETF',
  '00632R': 'Yuanta Daily Taiwan 50 Bear -1X ETF',
  '00679B': 'Yuanta U.S. Treasury 20+ Year Bond ETF',
  '00878': 'Cathay MSCI Taiwan ESG Sustainability High Dividend Yield ETF',
}

/** Generates the funds of both markets. The real register has TWSE only. */
export function etfRegister(until: string) {
  const asOf = lastSession(until)
  return TICKERS.filter(({ industry }) => industry === null).map(({ code, name }) => ({
    ticker: code,
    name,
    full_name: null,
    english_name: ENGLISH_OF_FUNDS[code]!,
    fund_type: '指數股票型',
    index_name: null,
    custom_index: null,
    foreign_members: null,
    benchmark_name: null,
    established_on: null,
    listed_on: null,
    units_issued: null,
    custodian: null,
    remarks: null,
    as_of_date: asOf,
  }))
}
