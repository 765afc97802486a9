import { bodyRefused, dayOf, type Feed } from '../formats/index.ts'
import { CODE, isBlank, type Named, openData, parseFlags, symbolOf } from './shared/risk-flags.ts'

const CRITERIA: Named = ['RecentlyMetAttentionSecuritiesCriteria', '近期達本公司「公布注意交易資訊」標準之情形']
const URL = 'https://openapi.twse.com.tw/v1/announcement/notetrans'

/** Returns the last day in the text, which is the day of the flag. The list has no date column. */
function lastDayIn(text: string): string {
  const days = [...text.matchAll(/\d{2,3}年\d{1,2}月\d{1,2}日/g)].map(([written]) => dayOf(written))
  const last = days.at(-1)
  if (last !== undefined) return last
  throw bodyRefused(
    'impossible_date',
    { en: `"${text}" contains no date. Check the file against its source.`, zh: `「${text}」未載明日期；請與來源核對檔案。` },
    { said: text },
  )
}

const feed: Feed = {
  name: 'twse-attention-series',
  title: 'TWSE securities repeatedly under attention, open data notetrans: JSON or CSV',
  datasets: ['company-risk-events'],
  url: URL,
  fetch: openData(URL),
  nothing: /./,
  parse: parseFlags({
    feed: 'twse-attention-series',
    called: { en: 'the list of securities that were repeatedly under attention (notetrans)', zh: '注意累計次數異常清單（notetrans）' },
    authority: 'TWSE',
    columns: [CODE, CRITERIA],
    flagsOf: cell =>
      isBlank(cell) ? [] : [{ symbol: symbolOf(cell), announced: lastDayIn(cell(CRITERIA)), type: 'attention', reason: cell(CRITERIA) }],
  }),
}

export default feed
