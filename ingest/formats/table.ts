import { heading } from './cells.ts'
import { isObject } from './content.ts'
import { bodyRefused } from './feed.ts'
import { figureOf } from './number.ts'

/** Headings (`fields`) are normalized by `heading`. Cells are unchanged. */
export interface Table {
  readonly title: string
  readonly fields: readonly string[]
  readonly data: readonly (readonly unknown[])[]
  /** Number of rows that the file states. Undefined if it states none. */
  readonly stated: number | undefined
  /** Separate rows of totals. */
  readonly summary?: readonly (readonly unknown[])[]
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function tableOf(value: Readonly<Record<string, unknown>>): Table {
  const stated = figureOf(value['total'] ?? value['totalCount'])
  return {
    title: String(value['title'] ?? ''),
    fields: list(value['fields']).map(heading),
    data: list(value['data']).map(list),
    stated: stated ?? undefined,
    ...(Array.isArray(value['summary']) && { summary: value['summary'].map(list) }),
  }
}

/** Returns the tables under `tables`, or the file itself. */
export function tablesOf(value: unknown): readonly Table[] {
  if (!isObject(value)) return []
  return Array.isArray(value['tables']) ? value['tables'].filter(isObject).map(tableOf) : [tableOf(value)]
}

/**
 * Returns the rows of a table, whose number must equal the stated number. Rows with too few cells
 * may be shifted, so they are skipped and counted in `notes`.
 *
 * @throws Refusal row_count_mismatch; row_shape if a row has too many cells or all rows have too
 * few
 */
export function wholeRows({ fields, data, stated }: Table): { readonly rows: Table['data']; readonly notes: readonly string[] } {
  if (stated !== undefined && stated !== data.length) {
    throw bodyRefused(
      'row_count_mismatch',
      {
        en: `The file states ${stated} rows, but has ${data.length}. Fetch it again.`,
        zh: `檔案載明有 ${stated} 列，實際為 ${data.length} 列；請重新取得。`,
      },
      { stated, rows: data.length },
    )
  }
  const rows = data.filter(row => row.length === fields.length)
  const short = data.filter(row => row.length < fields.length)
  if (rows.length + short.length < data.length || (short.length > 0 && rows.length === 0)) {
    throw bodyRefused(
      'row_shape',
      {
        en: `The heading has ${fields.length} cells, but some rows have another number. Compare the file with its source. If the source changed its format, the feed must be updated.`,
        zh: `資料列的欄數與標題的 ${fields.length} 欄不符。請與來源核對檔案；若來源已變更格式，須更新匯入程式。`,
      },
      { fields: fields.length },
    )
  }
  const named = short.map(row => String(row[0] ?? '').trim()).join(', ')
  return { rows, notes: short.length === 0 ? [] : [`${short.length} rows have too few cells and were skipped: ${named}`] }
}
