import { fromParts } from '../../src/engine/index.ts'
import {
  createServedReleases,
  createTable,
  createView,
  type DatasetOutcome,
  type Parent,
  publish,
  type Relation,
  readParts,
  type TradingCalendar,
  type Workspace,
} from '../publish/index.ts'

const AMOUNTS = ['revenue', 'gross_profit', 'operating_income', 'net_income'] as const

/**
 * Publishes earnings and company-earnings from income statements, which are year to date in
 * thousands of TWD. A quarter is the difference between two statements. The quarter is omitted if
 * the previous statement is missing. The fourth statement also yields the annual row.
 */
export async function publishEarnings(workspace: Workspace, calendar: TradingCalendar): Promise<readonly DatasetOutcome[]> {
  const served = createServedReleases(workspace)
  const statements = await served.of('income-statements')
  if (!statements) return []
  const { synthetic, parts, release } = statements.manifest
  const made = await createTable(workspace.session, 'periods', periods(await readParts(statements, parts)))
  const done: DatasetOutcome[] = []
  for (const slug of ['earnings', 'company-earnings'] as const) {
    const dataset = workspace.catalog.get(slug)!
    const relation = await createView(workspace.session, 'made', ROWS[slug](made, publishedColumns(await served.of(slug))))
    const sources = [
      {
        name: `income-statements ${release}`,
        sha256: statements.manifest.statistics.spans,
        bytes: 0,
        read_as: 'release',
        url: dataset.lineage.url,
      },
    ]
    const outcome = await publish(workspace, { dataset, relation, sources, synthetic, accept: [], sourceBySource: false, calendar })
    done.push({ dataset: slug, outcome })
  }
  return done
}

/** Returns SQL with one row per company and fiscal period. Amounts are in TWD. */
function periods(statements: string): string {
  const before = 'PARTITION BY ticker, fiscal_year ORDER BY season'
  const single = AMOUNTS.map(name => `1000 * (${name} - CASE WHEN season = 1 THEN 0 ELSE lag(${name}) OVER w END) AS ${name}`)
  return `
    SELECT ticker, fiscal_year || '-Q' || season AS fiscal_period, 'quarterly' AS report_type, period_end, ${single.join(', ')},
      round(eps - CASE WHEN season = 1 THEN 0 ELSE lag(eps) OVER w END, 2) AS eps
    FROM ${statements} WINDOW w AS (${before}) QUALIFY season = 1 OR lag(season) OVER w = season - 1
    UNION ALL
    SELECT ticker, fiscal_year::VARCHAR, 'annual', period_end, ${AMOUNTS.map(name => `1000 * ${name}`).join(', ')}, eps FROM ${statements} WHERE season = 4`
}

const ROWS: Readonly<Record<'earnings' | 'company-earnings', (periods: Relation, published: string) => string>> = {
  earnings: (periods, published) => `
    SELECT p.ticker, p.fiscal_period, p.report_type, k.announcement_date, p.revenue, p.gross_profit, p.operating_income, p.net_income, p.eps,
      k.eps_surprise_pct, p.period_end, 0 AS "_source"
    FROM ${periods} AS p LEFT JOIN ${published} AS k USING (ticker, fiscal_period, report_type)`,
  'company-earnings': (periods, published) => `
    SELECT p.ticker, p.fiscal_period, p.revenue, p.eps, p.net_income, 'TWD' AS currency, p.period_end, k.announcement_date, 0 AS "_source"
    FROM ${periods} AS p LEFT JOIN ${published} AS k USING (ticker, fiscal_period)`,
}

/** Returns SQL of the published columns that income statements lack. Ignores samples. */
function publishedColumns(served: Parent | undefined): string {
  if (served && served.manifest.parts.length > 0 && !served.manifest.synthetic) return fromParts(served.manifest.parts.map(served.pathOf))
  return `(SELECT NULL::VARCHAR AS ticker, NULL::VARCHAR AS fiscal_period, NULL::VARCHAR AS report_type, NULL::DATE AS announcement_date, NULL::DOUBLE AS eps_surprise_pct LIMIT 0)`
}
