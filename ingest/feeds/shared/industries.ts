const INDUSTRIES: Readonly<Record<string, string>> = {
  '01': '水泥工業',
  '02': '食品工業',
  '03': '塑膠工業',
  '04': '紡織纖維',
  '05': '電機機械',
  '06': '電器電纜',
  '07': '化學生技醫療',
  '08': '玻璃陶瓷',
  '09': '造紙工業',
  '10': '鋼鐵工業',
  '11': '橡膠工業',
  '12': '汽車工業',
  '13': '電子工業',
  '14': '建材營造業',
  '15': '航運業',
  '16': '觀光餐旅',
  '17': '金融保險業',
  '18': '貿易百貨業',
  '20': '其他業',
  '21': '化學工業',
  '22': '生技醫療業',
  '23': '油電燃氣業',
  '24': '半導體業',
  '25': '電腦及週邊設備業',
  '26': '光電業',
  '27': '通信網路業',
  '28': '電子零組件業',
  '29': '電子通路業',
  '30': '資訊服務業',
  '31': '其他電子業',
  '32': '文化創意業',
  '33': '農業科技業',
  '34': '電子商務業',
  '35': '綠能環保',
  '36': '數位雲端',
  '37': '運動休閒',
  '38': '居家生活',
  '91': '存託憑證',
}

/** Maps other names of industries to the official names. */
const ALIASES: Readonly<Record<string, string>> = {
  建材營造: '建材營造業',
  觀光事業: '觀光餐旅',
  金融業: '金融保險業',
  金融保險: '金融保險業',
  貿易百貨: '貿易百貨業',
  其他: '其他業',
  生技醫療: '生技醫療業',
  油電燃氣: '油電燃氣業',
  其他電子類: '其他電子業',
  農業科技: '農業科技業',
  電子商務: '電子商務業',
  綠能環保類: '綠能環保',
  數位雲端類: '數位雲端',
  運動休閒類: '運動休閒',
  居家生活類: '居家生活',
}

/** Kinds of securities, which some lists print in the industry column. */
const KINDS = /^(ETF|ETN|Index|大盤|所有證券|受益證券|上櫃ETF|上櫃指數股票型基金\(ETF\)|指數投資證券\(ETN\))$/

const CODES: ReadonlyMap<string, string> = new Map(Object.entries(INDUSTRIES).map(([code, name]) => [name, code]))

/** Returns a stable id for an industry without a code. The id can be part of a URL. */
const idOfName = (name: string): string => `industry_u${[...name].map(letter => (letter.codePointAt(0) ?? 0).toString(16)).join('')}`

/** Returns the industry. Undefined for a kind of security or an empty cell. */
export function industryOf(written: string): { readonly id: string; readonly name: string } | undefined {
  if (written === '' || KINDS.test(written)) return undefined
  const name = ALIASES[written] ?? written
  const code = CODES.get(name)
  return { id: code === undefined ? idOfName(name) : `industry_${code}`, name }
}
