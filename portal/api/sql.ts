import type { SqlAnswer, SqlDryRun } from '../../clients/typescript/src/index.ts'
import { columnLabel, type TableColumn } from '../parts/column-head.tsx'
import { type Answer, ask, type Row } from './client.ts'

/** A query over the datasets, in the form of `POST /v2/sql`. */
export interface SqlRequest {
  readonly q: string
  /** Values of `$name`. */
  readonly params?: Readonly<Record<string, string | number>>
  readonly limit?: number
}

/** The rows of a query. */
export interface SqlRows {
  readonly rows: readonly Row[]
  readonly columns: readonly TableColumn[]
  /** Credits that the answer cost. Null if its headers do not state them. */
  readonly charged: number | null
  readonly scannedRows: number
  /** True if the query has more rows than the answer. */
  readonly hasMore: boolean
  readonly releases: Readonly<Record<string, string>>
  readonly warnings: readonly string[]
  readonly milliseconds: number
}

/** The price of a query, before it runs. */
export interface SqlPrice {
  readonly credits: number | null
  readonly scannedRows: number
}

const send = <T>(body: object, signal?: AbortSignal): Promise<Answer<T>> => ask<T>({ path: '/v2/sql', method: 'POST', body }, signal)

/** Runs a query. An aborted request also stops the query in the service. */
export async function runSql(request: SqlRequest, signal?: AbortSignal): Promise<Answer<SqlRows>> {
  const answer = await send<SqlAnswer>(request, signal)
  if (!answer.ok) return answer
  const { body, headers, milliseconds } = answer
  const charged = headers.get('x-credits-charged')
  const rows: SqlRows = {
    rows: body.data as readonly Row[],
    columns: body.columns.map(({ name, type, sql_type }) => described(name, type, sql_type)),
    charged: charged === null ? null : Number(charged),
    scannedRows: body.meta.scanned_rows,
    hasMore: body.meta.next_offset !== null,
    releases: body.meta.releases,
    warnings: body.warnings,
    milliseconds,
  }
  return { ...answer, body: rows }
}

/** The price of a query. */
export async function priceOfSql(request: SqlRequest, signal?: AbortSignal): Promise<Answer<SqlPrice>> {
  const answer = await send<SqlDryRun>({ ...request, dry_run: true }, signal)
  if (!answer.ok) return answer
  return { ...answer, body: { credits: answer.body.credits, scannedRows: answer.body.scan?.scanned_rows ?? 0 } }
}

/**
 * A column of a result in the form that tables show. Its meaning is unknown, because an expression
 * of the query defines it.
 */
function described(name: string, type: TableColumn['type'], sqlType: string): TableColumn {
  const label = columnLabel({ name, label_zh: name })
  return { name, type, unit: null, label_zh: label, description: sqlType, description_zh: sqlType }
}
