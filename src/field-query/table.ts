import type { Column, Format, Row } from '../../catalog/index.ts'
import { type Body, ENCODERS, openBody, valueRows } from '../formats/index.ts'
import type { FieldQuery } from './request.ts'

/** Columns that state the origin of each value. Absent with `minimal_fields`. */
const PROVENANCE: Readonly<Record<string, Column>> = {
  as_of_date: { type: 'date', zh: '資料日期', doc: 'Date of the value.', docZh: '數值的日期。' },
  period: { type: 'text', zh: '財報期間', doc: 'Fiscal period. Null if not applicable.', docZh: '財報期間；沒有時為空值。' },
  announced_at: {
    type: 'date',
    zh: '公告日期',
    doc: 'Announcement date of this version. Null if unknown.',
    docZh: '此版本的公告日；不詳時為空值。',
  },
  release_version: { type: 'text', zh: '發布版本', doc: 'Release from which the value was read.', docZh: '數值所屬的版本。' },
}

interface QueryAnswer {
  readonly data: readonly { readonly entity_id: string; readonly fields: Readonly<Record<string, unknown>> }[]
}

/**
 * Converts a JSON answer to another format, one row per entity.
 *
 * @param json body of the JSON answer
 */
export async function encodeFields(query: FieldQuery, json: string, format: Exclude<Format, 'json'>, bom: boolean): Promise<Body> {
  const answer = JSON.parse(json) as QueryAnswer
  if (format === 'ndjson') return Buffer.from(answer.data.map(row => `${JSON.stringify(row)}\n`).join(''))
  const frame = [JSON.stringify({ ...answer, data: [] }), ''] as const
  return openBody(
    ENCODERS[format].encode(
      valueRows(
        columnsOf(query),
        answer.data.map(row => tableRow(query, row)),
      ),
      frame,
      { bom },
    ),
  )
}

function columnsOf({ fields, minimal }: FieldQuery): Readonly<Record<string, Column>> {
  const id: Column = { type: 'text', zh: '代號', doc: 'Id of the entity.', docZh: '查詢對象的識別碼。' }
  const fieldColumns = fields.flatMap(({ name, column, view }) => {
    const valueColumn: Column = view.many === 'list' ? listOf(column) : column
    const provenance = minimal ? [] : Object.entries(PROVENANCE).map(([key, column]) => [`${name}.${key}`, column] as const)
    return [[name, valueColumn] as const, ...provenance]
  })
  return Object.fromEntries([['entity_id', id], ...fieldColumns])
}

function listOf(column: Column): Column {
  const { type } = column
  const list = type === 'boolean' ? type : type === 'number' || type === 'integer' ? 'number' : 'text'
  return { ...column, type: 'json', shape: { list } }
}

function tableRow({ fields, minimal }: FieldQuery, { entity_id, fields: values }: QueryAnswer['data'][number]): Row {
  const row: Record<string, unknown> = { entity_id }
  for (const { name } of fields) {
    const cell = values[name]
    if (minimal || cell === undefined) row[name] = cell ?? null
    else {
      const { value, ...provenance } = cell as Readonly<Record<string, unknown>>
      row[name] = value
      for (const key of Object.keys(PROVENANCE)) row[`${name}.${key}`] = provenance[key] ?? null
    }
  }
  return row
}
