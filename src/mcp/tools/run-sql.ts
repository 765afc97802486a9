import { z } from 'zod'
import { SQL } from '../../../catalog/index.ts'
import { Refusal } from '../../core/index.ts'
import { createRunSql, type SqlDeps } from '../../operations/index.ts'
import { MAX_QUERY } from '../../sql/index.ts'
import { readCursor, wholeNumber, writeCursor } from '../cursors.ts'
import { takeFitting } from '../tokens.ts'
import { Cost, costOf, inCredits, requireCaller, type Tool, tool } from '../tool.ts'

const Column = z.object({ name: z.string(), type: z.string(), sql_type: z.string() })

const Output = z.object({
  columns: z.array(Column),
  returned: z.int(),
  next_cursor: z
    .string()
    .nullable()
    .meta({ description: 'Cursor of the next page. Null on the last page. Each page costs the price of the query.' }),
  rows: z.array(z.array(z.unknown())).meta({ description: 'Values in the order of columns.' }),
  releases: z.record(z.string(), z.string()).meta({ description: 'Releases that were read, by dataset.' }),
  scanned_rows: z.int().meta({ description: 'Number of scanned rows, from which the price is computed.' }),
  known_gaps: z.array(z.string()),
  warnings: z.array(z.string()).meta({ description: 'Warnings to report with the rows.' }),
  ...Cost.shape,
})

interface Body {
  readonly columns: readonly z.output<typeof Column>[]
  readonly data: readonly Readonly<Record<string, unknown>>[]
}

const DEFAULT_ROWS = 50
const MOST_ROWS = 1_000

export function runSqlTool(deps: SqlDeps, isFree: boolean): Tool {
  const runSql = createRunSql(deps)
  const price = isFree
    ? 'none'
    : `${inCredits(SQL.access.credits)} or more: for each dataset, its credits for each begun page of scanned rows. Conditions on ticker and date reduce it`
  return tool(
    {
      name: 'run_sql',
      title: 'Run an SQL query over the datasets',
      description: `Runs one SELECT of DuckDB’s SQL: joins, aggregates, window functions, ASOF JOIN, PIVOT. Tables are datasets with _ instead of -, for example daily_prices; describe_dataset returns their columns. For the rows of one dataset, call get_rows. Use ORDER BY and LIMIT. Price: ${price}.`,
      input: z.strictObject({
        q: z.string().min(1).max(MAX_QUERY).meta({ description: 'One SELECT statement, without comments.' }),
        params: z
          .array(z.union([z.string().max(10_000), z.number(), z.boolean(), z.null()]))
          .max(100)
          .default([])
          .meta({ description: 'Values of $1, $2 and so on.' }),
        limit: z.int().min(1).max(MOST_ROWS).default(DEFAULT_ROWS),
        as_of: z.string().max(40).optional().meta({ description: 'Day or RFC 3339 time. Reads the releases served at this time.' }),
        cursor: z
          .string()
          .max(2_000)
          .optional()
          .meta({ description: 'Cursor: next_cursor of the previous page. Send the same arguments.' }),
      }),
      output: Output,
    },
    async ({ q, params, limit, as_of, cursor }, call) => {
      const cursorArgs = { tool: 'run_sql', q, params, limit, as_of }
      const [position = 0, pinned = '{}'] = cursor === undefined ? [] : readCursor(cursor, cursorArgs)
      const offset = wholeNumber(position)
      const pins = JSON.parse(String(pinned)) as Readonly<Record<string, string>>
      const input = {
        text: q,
        values: params,
        limit,
        offset,
        asOf: as_of ?? null,
        pins,
        format: 'json',
        bom: false,
        from: 'arguments',
      } as const
      const caller = requireCaller(call)
      if (caller.isVisitor && !isFree) throw new Refusal('missing_api_key')
      const { body, meta } = await runSql(caller, input, call)
      const { columns, data } = JSON.parse(String(body)) as Body
      const facts = {
        columns: [...columns],
        releases: meta.releases,
        scanned_rows: meta.scannedRows,
        known_gaps: [...meta.gaps],
        warnings: [...meta.warnings],
        ...costOf(call, meta.charge),
      }
      const rows = takeFitting(
        data.map(row => columns.map(({ name }) => row[name])),
        facts,
      )
      const hasMore = rows.length < data.length || meta.more
      const next = [offset + rows.length, JSON.stringify(as_of === undefined ? meta.releases : {})]
      return {
        ...facts,
        returned: rows.length,
        next_cursor: hasMore ? writeCursor(next, cursorArgs) : null,
        rows: rows.map(row => [...row]),
      }
    },
  )
}
