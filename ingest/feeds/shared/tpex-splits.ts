import type { Words } from '../../../src/core/index.ts'
import { bodyRefused } from '../../formats/index.ts'
import type { ChangeNames } from './capital-change.ts'
import type { EventRow } from './event-rows.ts'

/**
 * TPEx uses the same headings for par value changes and for splits of funds. The titles do not
 * distinguish them.
 */
export const SPLIT_NAMES = {
  day: '恢復買賣日期',
  ticker: '證券代號',
  name: '證券名稱',
  closeBefore: '最後交易日之收盤價格',
  reference: '恢復買賣開始參考價',
  limitUp: '漲停價格',
  limitDown: '跌停價格',
  opening: '開始交易基準價',
  details: '詳細資料',
} as const satisfies ChangeNames

/**
 * @param holds true if the row passed the feed's own check
 * @throws Refusal wrong_table
 */
export function requireChange({ ticker }: EventRow, holds: boolean, called: Words): void {
  if (holds) return
  throw bodyRefused(
    'wrong_table',
    {
      en: `This is not the list of ${called.en}: ${ticker} has another kind of change. If another feed reads this file, use that feed (see twmd ingest --help).`,
      zh: `這不是${called.zh}的清單：${ticker} 並無此項變更。若有其他資料來源可讀取此檔案，請改用該來源（見 twmd ingest --help）。`,
    },
    { ticker },
  )
}

/** True for a fund. No other security has a code that starts with two zeros. */
export const isFund = ({ ticker }: EventRow): boolean => ticker.startsWith('00')
