import { expect, it } from 'vitest'
import { compactText, foldText } from '../../src/search/text.ts'

/**
 * Simplified characters that are common in names of this market, each followed by its traditional
 * form.
 */
const PAIRS =
  '积積电電湾灣国國证證资資华華联聯发發业業银銀产產钢鋼车車长長荣榮阳陽万萬达達广廣亚亞东東气氣药藥医醫财財债債权權宝寶丰豐硕碩讯訊网網贸貿运運营營创創统統龙龍兴興汇匯汉漢应應线線体體导導设設备備实實险險鸿鴻绿綠环環机機数數据據类類户戶员員专專题題'

it('a search with a simplified character finds names with the traditional character', () => {
  for (const pair of PAIRS.match(/../gu)!) {
    const [simplified, traditional] = pair
    expect.soft([foldText(simplified!), foldText(traditional!)], pair).toEqual([traditional, traditional])
  }
})

it.each([
  ['台積電', '臺積電'],
  ['台积电', '臺積電'],
  ['２３３０', '2330'],
  ['Foreign Net Buy', 'foreign net buy'],
  // Characters outside the table, and characters of both scripts, are unchanged.
  ['中文 株式會社', '中文 株式會社'],
])('a search folds "%s" to "%s"', (text, folded) => expect(foldText(text)).toBe(folded))

it('a search ignores blanks and punctuation in names', () => expect(compactText('foreign_net-buy *')).toBe('foreignnetbuy'))
