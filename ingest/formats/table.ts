import { heading } from './cells.ts'
import { isObject } from './content.ts'
import { bodyRefused } from './feed.ts'
import { figureOf } from './number.ts'

/** A table of a JSON answer. Field names are folded by `heading`; cells are as they arrived. */
export interface Table {
  readonly title: string
  readonly fields: readonly string[]
  readonly data: readonly (readonly unknown[])[]
  /** How many rows the body says it has; undefined where it does not say. */
  readonly stated: number | undefined
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function tableOf(value: Readonly<Record<string, unknown>>): Table {
  const stated = figureOf(value['total'] ?? value['totalCount'])
  return {
    title: String(value['title'] ?? ''),
    fields: list(value['fields']).map(heading),
    data: list(value['data']).map(list),
    stated: stated ?? undefined,
  }
}

/** Every table of a body: those under `tables`, or the body itself when it is one. Empty tables are included. */
export function tablesOf(value: unknown): readonly Table[] {
  if (!isObject(value)) return []
  return Array.isArray(value['tables']) ? value['tables'].filter(isObject).map(tableOf) : [tableOf(value)]
}

/**
 * The rows of a table, checked against the number the body says it has. Rows with fewer cells than there are fields cannot be
 * told from shifted ones: they are left out and counted in `notes`.
 *
 * @throws Refusal row_count_mismatch, or row_shape when a row is longer than the fields or every row is short
 */
export function wholeRows({ fields, data, stated }: Table): { readonly rows: Table['data']; readonly notes: readonly string[] } {
  if (stated !== undefined && stated !== data.length) {
    throw bodyRefused(
      'row_count_mismatch',
      {
        en: `The body says it has ${stated} rows and holds ${data.length}; fetch it again.`,
        zh: `內容載明有 ${stated} 列，實際為 ${data.length} 列；請重新取得。`,
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
        en: `Rows do not have the ${fields.length} cells their heading names; the table has changed its form.`,
        zh: `資料列的格數與標題的 ${fields.length} 格不符；表格格式已變更。`,
      },
      { fields: fields.length },
    )
  }
  const named = short.map(row => String(row[0] ?? '').trim()).join(', ')
  return { rows, notes: short.length === 0 ? [] : [`${short.length} rows have fewer cells than fields and were left out: ${named}`] }
}
