import type { Words } from '../../../src/core/index.ts'
import { bodyRefused } from '../../formats/index.ts'
import type { ChangeNames } from './capital-change.ts'
import type { EventRow } from './event-rows.ts'

/** Headings that TPEx gives changes of par value, splits and reverse splits of funds alike, without a title that tells them apart. */
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
 * Proof that a list is what the feed takes it for.
 *
 * @throws Refusal wrong_table naming the row that is something else
 */
export function requireChange({ ticker }: EventRow, holds: boolean, called: Words): void {
  if (holds) return
  throw bodyRefused(
    'wrong_table',
    {
      en: `This is not the list of ${called.en}: ${ticker} is no such change. Give the file to the feed of its own table.`,
      zh: `這不是${called.zh}的清單：${ticker} 並無此項變更。請將檔案交給其所屬表格的資料來源。`,
    },
    { ticker },
  )
}

/** Whether a security is a fund, by its code: those of funds begin with two zeros, and no share's does. */
export const isFund = ({ ticker }: EventRow): boolean => ticker.startsWith('00')
