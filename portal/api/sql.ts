import type { SqlAnswer, SqlDryRun } from '../../clients/typescript/src/index.ts'
import { decimalsOf } from '../parts/cell.ts'
import { columnLabel, type TableColumn } from '../parts/column-head.tsx'
import { type Answer, ask, type Row } from './client.ts'

export interface SqlRequest {
  readonly q: string
  /** Values of `$name` parameters, keyed by name. */
  readonly params?: Readonly<Record<string, string | number>>
  readonly limit?: number
}

export interface SqlRows {
  readonly rows: readonly Row[]
  readonly columns: readonly TableColumn[]
  /** Credits of the response. Null if unknown. */
  readonly charged: number | null
  readonly scannedRows: number
  /** True if the query has more rows than the response. */
  readonly hasMore: boolean
  readonly releases: Readonly<Record<string, string>>
  readonly warnings: readonly string[]
  readonly milliseconds: number
}

export interface SqlPrice {
  readonly credits: number | null
  readonly scannedRows: number
}

const send = <T>(body: object, signal?: AbortSignal): Promise<Answer<T>> => ask<T>({ path: '/v2/sql', method: 'POST', body }, signal)

/** Runs a query. If the request is aborted, the service also stops the query. */
export async function runSql(request: SqlRequest, signal?: AbortSignal): Promise<Answer<SqlRows>> {
  const answer = await send<SqlAnswer>(request, signal)
  if (!answer.ok) return answer
  const { body, headers, milliseconds } = answer
  const data = body.data as readonly Row[]
  const charged = headers.get('x-credits-charged')
  const rows: SqlRows = {
    rows: data,
    columns: body.columns.map(({ name, type, sql_type }) => ({
      ...described(name, type, sql_type),
      decimals: decimalsOf(data.map(row => row[name])),
    })),
    charged: charged === null ? null : Number(charged),
    scannedRows: body.meta.scanned_rows,
    hasMore: body.meta.next_offset !== null,
    releases: body.meta.releases,
    warnings: body.warnings,
    milliseconds,
  }
  return { ...answer, body: rows }
}

export async function priceOfSql(request: SqlRequest, signal?: AbortSignal): Promise<Answer<SqlPrice>> {
  const answer = await send<SqlDryRun>({ ...request, dry_run: true }, signal)
  if (!answer.ok) return answer
  const { credits, scan, refusal } = answer.body
  return { ...answer, body: { credits: refusal ? null : credits, scannedRows: scan?.scanned_rows ?? 0 } }
}

/** Describes a result column for tables. Only the name and the types are known, not the meaning. */
function described(name: string, type: TableColumn['type'], sqlType: string): TableColumn {
  const label = columnLabel({ name, label_zh: name })
  return { name, type, unit: null, label_zh: label, description: sqlType, description_zh: sqlType }
}
