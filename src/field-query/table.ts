import type { Column, Format, Row } from '../../catalog/index.ts'
import { type Body, ENCODERS, openBody, valueRows } from '../formats/index.ts'
import type { FieldQuery } from './request.ts'

/** What is said about each value, unless a query asks for values alone; each a column behind the field's own. */
const ABOUT: Readonly<Record<string, Column>> = {
  as_of_date: { type: 'date', zh: '資料日期', doc: 'Day the value speaks of.', docZh: '數值所屬的日期。' },
  period: { type: 'text', zh: '財報期間', doc: 'Fiscal period; null where there are none.', docZh: '財報期間；沒有時為空值。' },
  announced_at: {
    type: 'date',
    zh: '公告日期',
    doc: 'Day this version was announced; null where unknown.',
    docZh: '此版本的公告日；不詳時為空值。',
  },
  release_version: { type: 'text', zh: '發布版本', doc: 'Release the value was read from.', docZh: '數值所取自的版本。' },
}

interface Answered {
  readonly data: readonly { readonly entity_id: string; readonly fields: Readonly<Record<string, unknown>> }[]
}

/**
 * Encodes the JSON answer of a query in another format. NDJSON has its rows as they are. The others are tables: one row an entity, the
 * fields in the order asked for, each followed by what is said about it as `<field>.as_of_date` and so on. A list is its JSON text.
 *
 * @param json the body of the answer
 */
export async function encodeFields(query: FieldQuery, json: string, format: Exclude<Format, 'json'>, bom: boolean): Promise<Body> {
  const answer = JSON.parse(json) as Answered
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
  const id: Column = { type: 'text', zh: '代號', doc: 'The entity.', docZh: '查詢的對象。' }
  const of = fields.flatMap(({ name, column, view }) => {
    const own: Column = view.many === 'list' ? { ...column, type: 'json' } : column
    const about = minimal ? [] : Object.entries(ABOUT).map(([key, said]) => [`${name}.${key}`, said] as const)
    return [[name, own] as const, ...about]
  })
  return Object.fromEntries([['entity_id', id], ...of])
}

function tableRow({ fields, minimal }: FieldQuery, { entity_id, fields: values }: Answered['data'][number]): Row {
  const row: Record<string, unknown> = { entity_id }
  for (const { name } of fields) {
    const found = values[name]
    if (minimal || found === undefined) row[name] = found ?? null
    else {
      const { value, ...about } = found as Readonly<Record<string, unknown>>
      row[name] = value
      for (const key of Object.keys(ABOUT)) row[`${name}.${key}`] = about[key] ?? null
    }
  }
  return row
}
