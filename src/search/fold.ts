/** Simplified characters common in names of this market, each followed by the traditional one it is written with here. */
const PAIRS =
  '积積电電湾灣国國证證资資华華联聯发發业業银銀产產钢鋼车車长長荣榮阳陽万萬达達广廣亚亞东東气氣药藥医醫财財债債权權宝寶丰豐硕碩讯訊网網贸貿运運营營创創统統龙龍兴興汇匯汉漢应應线線体體导導设設备備实實险險鸿鴻绿綠环環机機数數据據类類户戶员員专專题題产產'

const TRADITIONAL: ReadonlyMap<string, string> = new Map([
  ['臺', '台'],
  ...Array.from({ length: PAIRS.length / 2 }, (_, at) => [PAIRS[2 * at]!, PAIRS[2 * at + 1]!] as const),
])

/** Text as it is compared: compatibility forms and case folded, 臺 as 台, simplified characters as traditional ones. */
export const foldText = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\p{Script=Han}/gu, letter => TRADITIONAL.get(letter) ?? letter)

/** Folded text without blanks and signs: `foreign_net_buy` and `Foreign net buy` are equal. */
export const compactText = (text: string): string => foldText(text).replace(/[^\p{L}\p{N}]/gu, '')
