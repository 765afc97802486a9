import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import type { Dataset, Row } from '../../catalog/index.ts'
import { Refusal, type Words } from '../../src/core/index.ts'
import { isMachineFault } from '../../src/engine/index.ts'
import { sha256Of } from '../../src/releases/index.ts'
import { bodyRefused, type Feed, type Parsed } from '../formats/index.ts'
import { isSession, type TradingCalendar } from '../publish/index.ts'
import { PACKED_ENDING, unpacked } from './unpack.ts'

export interface ReceivedFile {
  readonly path: string
  readonly name: string
  /** sha256 before decompression. */
  readonly sha256: string
  readonly size: number
  readonly read: Parsed | Refusal
}

type Empty = Extract<Parsed, { kind: 'empty' }>

/** Default maximum bytes. Files of the exchanges are below 10 MB. */
export const MOST_BYTES = 64 * 2 ** 20

/**
 * Reads and parses a file. Returns a refusal as a result, because one bad file must not stop the
 * others. Only hashes oversized files.
 *
 * @throws Error if the file cannot be opened or the machine lacks resources
 */
export async function readReceivedFile(feed: Feed, path: string, requestedDay: string | undefined): Promise<ReceivedFile> {
  const name = basename(path)
  const most = feed.mostBytes ?? MOST_BYTES
  const { size } = statSync(path)
  if (size > most)
    return {
      path,
      name,
      sha256: await sha256Of(path),
      size,
      read: tooLarge(feed, name, { en: `has ${sizeText(size)}`, zh: `有 ${sizeText(size)}` }, most),
    }
  const raw = readFileSync(path)
  const facts = { path, name, sha256: createHash('sha256').update(raw).digest('hex'), size: raw.length }
  try {
    const bytes = unpacked(raw, most, {
      tooLarge: () => tooLarge(feed, name, { en: `unpacks to more than ${sizeText(most)}`, zh: `解壓縮後超過 ${sizeText(most)}` }, most),
      damaged: packing =>
        bodyRefused('damaged_body', {
          en: `The file is incomplete or not ${packing}. Fetch it again.`,
          zh: `檔案不完整，或並非 ${packing}；請重新取得。`,
        }),
    })
    return { ...facts, read: feed.parse({ name: name.replace(PACKED_ENDING, ''), bytes }, requestedDay) }
  } catch (error) {
    if (isMachineFault(error)) throw error
    return { ...facts, read: error instanceof Refusal ? error : readerFailed(feed, name, error) }
  }
}

const sizeText = (bytes: number): string => (bytes < 2 ** 20 ? `${(bytes / 2 ** 10).toFixed(1)} KB` : `${(bytes / 2 ** 20).toFixed(1)} MB`)

const tooLarge = (feed: Feed, name: string, found: Words, most: number): Refusal =>
  bodyRefused(
    'too_large',
    {
      en: `${name} ${found.en}, but ${feed.name} reads at most ${sizeText(most)}. Fetch the file again, or split a collection by day. Files with the dataset's own columns can have any size: use twmd publish.`,
      zh: `${name} ${found.zh}，超過 ${feed.name} 的上限 ${sizeText(most)}。請重新取得，或將彙編依日分割；若檔案使用資料集本身的欄位，則不限大小，請改用 twmd publish。`,
    },
    { most_bytes: most },
  )

/** Returns a refusal for a failing parser, which must not stop other files. */
const readerFailed = ({ name: feed }: Feed, name: string, error: unknown): Refusal =>
  bodyRefused('reader_failed', {
    en: `${feed} could not read ${name} (${error instanceof Error ? error.message.split('\n')[0] : String(error)}). Check the file against its source. If the source changed its format, the feed must be updated.`,
    zh: `${feed} 無法解讀 ${name}（${error instanceof Error ? error.message.split('\n')[0] : String(error)}）。請與來源核對檔案；若來源已變更格式，須更新匯入程式。`,
  })

/**
 * Refuses an implausible empty file, which may mean a holiday, an early request or a failing
 * source. Empty files are accepted only on days that are known to be closed and have no rows.
 * Recording another day as closed would hide missing data.
 *
 * @param publishedDays days with rows in the dataset, for the feed's market if it has one
 */
export function judgeEmpty(
  feed: Feed,
  { date, reason }: Empty,
  calendar: TradingCalendar,
  publishedDays: ReadonlySet<string>,
): Refusal | undefined {
  if (feed.daily === undefined && feed.nothing?.test(reason) !== true) {
    const words = {
      en: `The file is empty ("${reason}"), but ${feed.name} always has entries: the source failed, or this is another table. Fetch it again. Served rows are unchanged.`,
      zh: `檔案沒有資料（「${reason}」），但 ${feed.name} 一定有資料：可能是來源異常，或檔案其實是另一種表格。請重新取得；已提供的資料不受影響。`,
    }
    return bodyRefused('empty_list', words, { said: reason })
  }
  if (date === null) return undefined
  if (publishedDays.has(date)) {
    const words = {
      en: `${date} already has rows, so an empty file means that the source failed or withdrew them. The rows are unchanged. Fetch the day again. If it is still empty, check the source.`,
      zh: `${date} 已有資料，收到空的檔案表示來源發生問題或已撤回資料。原有資料不變；請重新取得，若仍為空，請查看來源。`,
    }
    return bodyRefused('rows_held', words, { date, said: reason })
  }
  if (feed.daily === undefined || !isSession(date, calendar)) return undefined
  if (calendar.open.has(date)) {
    const words = {
      en: `${date} is a trading day, but the file has no rows: the exchange has not published them yet, or the source failed. Fetch it again later. If the market was closed that day, for example because of a typhoon, record it with twmd publish trading-calendar.`,
      zh: `${date} 為交易日，檔案卻沒有資料：交易所尚未公布，或來源發生問題。請稍後重新取得；若當日休市（例如颱風），請以 twmd publish trading-calendar 登錄。`,
    }
    return bodyRefused('asked_too_early', words, { date })
  }
  const words = {
    en: `${date} is a weekday that the calendar does not mark as closed, but the file has no rows: it was fetched too early, or the day was a holiday. Fetch it again after the exchange has published. Record a holiday with twmd publish trading-calendar.`,
    zh: `${date} 為平日，交易日曆未標示休市，檔案卻沒有資料：可能取得過早，或當日為假日。請於交易所公布後重新取得；假日請以 twmd publish trading-calendar 登錄。`,
  }
  return bodyRefused('asked_too_early', words, { date })
}

export interface DayRows {
  /** Null if the dataset is not published by day. */
  readonly date: string | null
  readonly count: number
  readonly rows: readonly Row[]
}

/** Splits rows by day, so that a refused day does not block the others. */
export function splitByDay({ publish, date }: Dataset, rows: readonly Row[]): readonly DayRows[] {
  if (date === undefined || !publish.slice?.includes(date)) return [{ date: null, count: rows.length, rows }]
  return [...Map.groupBy(rows, row => String(row[date]))].map(([day, those]) => ({ date: day, count: those.length, rows: those }))
}
