import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Statement } from '../../src/engine/index.ts'
import { planRead, type ReadLimits } from '../../src/read/index.ts'
import { selectRows } from '../../src/read/select-rows.ts'
import { service, type TestService } from '../support.ts'

let s: TestService
beforeAll(async () => {
  s = await service({ indexed: false })
})
afterAll(() => s.close())

const limits: ReadLimits = { plan: 'max', rowLimit: 100_000, queueKey: 'acct' }

/** The statement of a query string, with its files shown as 'part'. */
function statement(slug: string, query: string): Statement {
  const dataset = s.dataset(slug)
  const params = Object.fromEntries(new URLSearchParams(query))
  const plan = planRead(dataset, s.releases.current(dataset), { columns: dataset.grain.join(','), ...params }, limits)
  const { text, values } = selectRows(plan, plan.columns)
  return { text: text.replaceAll(/'[^']*\/[0-9a-f]{64}\.parquet'/g, "'part'"), values }
}

describe('the statement of a read', () => {
  it('the statement selects the columns, orders by dataset order and grain, and requests one extra row', () => {
    expect(statement('securities-firm-master', '')).toEqual({
      text: `SELECT t."broker_id"
FROM read_parquet(['part'], hive_partitioning = false) AS t
ORDER BY t."broker_id" ASC NULLS LAST
LIMIT $1::BIGINT OFFSET $2::BIGINT`,
      values: [51, 0],
    })
  })

  it('the statement binds equality filters, bounds and dates', () => {
    const query = 'symbol=10Y&start_date=2026-06-01&end_date=2026-06-30&trade_date=2026-06-30&limit=7&offset=3'
    expect(statement('bond-yield-curve', query)).toEqual({
      text: `SELECT t."trade_date", t."tenor_label"
FROM read_parquet(['part'], hive_partitioning = false) AS t
WHERE t."tenor_label" = $1 AND t."trade_date" >= $2::DATE AND t."trade_date" <= $3::DATE AND t."trade_date" = $4::DATE
ORDER BY t."trade_date" DESC NULLS LAST, t."maturity_years" ASC NULLS LAST, t."tenor_label" ASC NULLS LAST
LIMIT $5::BIGINT OFFSET $6::BIGINT`,
      values: ['10Y', '2026-06-01', '2026-06-30', '2026-06-30', 8, 3],
    })
  })

  it('the statement binds the ends of a range with the type of the column', () => {
    expect(statement('daily-prices', 'symbol=2330&range=close:100.5..<250,volume:..1000')).toMatchObject({
      text: expect.stringContaining(
        `WHERE t."ticker" IN ($1) AND t."close" >= $2::DOUBLE AND t."close" < $3::DOUBLE AND t."volume" <= $4::BIGINT\n`,
      ),
      values: ['2330', '100.5', '250', '1000', 51, 0],
    })
  })

  it('the statement binds the day by which rows must have been announced', () => {
    const known = `(t."announcement_date" IS NULL OR t."announcement_date" <= $3::DATE)`
    for (const asOf of ['2026-06-30', '2026-06-29T16:00:00Z'])
      expect(statement('earnings', `symbol=2330&report_type=quarterly&as_of=${asOf}`)).toMatchObject({
        text: expect.stringContaining(`WHERE t."ticker" = $1 AND t."report_type" = $2 AND ${known}\n`),
        values: ['2330', 'quarterly', '2026-06-30', 51, 0],
      })
    expect(statement('company-earnings', 'symbol=2330&as_of=2026-06-30').text).toContain(
      `WHERE u."ticker" IN ($2) AND (u."announcement_date" IS NULL OR u."announcement_date" <= $3::DATE) AND list_position`,
    )
    expect(statement('daily-prices', 'symbol=2330&as_of=2026-06-30').values).toEqual(['2330', 51, 0])
  })

  it('the statement has no condition for a filter that selects every row', () => {
    expect(statement('bond-yield-curve', 'symbol=TWGB').text).not.toContain('WHERE')
  })

  it('the statement binds each value of a list', () => {
    expect(statement('institutional-positioning', 'symbol=2330,00632r')).toEqual({
      text: `SELECT t."ticker", t."trade_date"
FROM read_parquet(['part'], hive_partitioning = false) AS t
WHERE t."ticker" IN ($1, $2)
ORDER BY t."trade_date" DESC NULLS LAST, t."ticker" ASC NULLS LAST
LIMIT $3::BIGINT OFFSET $4::BIGINT`,
      values: ['2330', '00632R', 51, 0],
    })
  })

  it('the statement matches a day in either of two columns', () => {
    expect(statement('company-earnings', 'symbol=2330&date=2026-03-31&report_type=all')).toEqual({
      text: `SELECT t."ticker", t."fiscal_period"
FROM (SELECT *, CASE WHEN length(fiscal_period) > 4 THEN 'quarterly' ELSE 'annual' END AS "report_type" FROM read_parquet(['part'], hive_partitioning = false)) AS t
WHERE t."ticker" = $1 AND (t."period_end" = $2::DATE OR t."announcement_date" = $3::DATE)
ORDER BY t."period_end" DESC NULLS LAST, t."fiscal_period" DESC NULLS LAST, t."ticker" ASC NULLS LAST
LIMIT $4::BIGINT OFFSET $5::BIGINT`,
      values: ['2330', '2026-03-31', '2026-03-31', 51, 0],
    })
  })

  it('the statement selects the first report type the company has, and every quarter of a year', () => {
    expect(statement('earnings', 'symbol=2330&period=2025')).toEqual({
      text: `SELECT t."ticker", t."fiscal_period", t."report_type"
FROM read_parquet(['part'], hive_partitioning = false) AS t
WHERE t."ticker" = $1 AND t."fiscal_period" IN ($2, $3, $4, $5, $6) AND t."report_type" = (SELECT u."report_type" FROM read_parquet(['part'], hive_partitioning = false) AS u WHERE u."ticker" IN ($7) AND u."fiscal_period" IN ($8, $9, $10, $11, $12) AND list_position(['quarterly', 'annual'], u."report_type") IS NOT NULL ORDER BY list_position(['quarterly', 'annual'], u."report_type") LIMIT 1)
ORDER BY t."period_end" DESC NULLS LAST, t."report_type" DESC NULLS LAST, t."ticker" ASC NULLS LAST, t."fiscal_period" ASC NULLS LAST
LIMIT $13::BIGINT OFFSET $14::BIGINT`,
      values: [
        '2330',
        '2025',
        '2025-Q1',
        '2025-Q2',
        '2025-Q3',
        '2025-Q4',
        '2330',
        '2025',
        '2025-Q1',
        '2025-Q2',
        '2025-Q3',
        '2025-Q4',
        51,
        0,
      ],
    })
  })

  it('the statement of latest=true selects the newest row', () => {
    expect(statement('earnings', 'symbol=2330&latest=true&report_type=annual')).toEqual({
      text: `SELECT t."ticker", t."fiscal_period", t."report_type"
FROM read_parquet(['part'], hive_partitioning = false) AS t
WHERE t."ticker" = $1 AND t."report_type" = $2
ORDER BY t."period_end" DESC NULLS LAST, t."ticker" ASC NULLS LAST, t."fiscal_period" ASC NULLS LAST, t."report_type" ASC NULLS LAST
LIMIT $3::BIGINT OFFSET $4::BIGINT`,
      values: ['2330', 'annual', 2, 0],
    })
  })

  it('the statement orders by the sort_by column first', () => {
    expect(statement('bond-yield-curve', 'symbol=TWGB&sort_by=maturity_years&sort_order=asc').text).toContain(
      'ORDER BY t."maturity_years" ASC NULLS LAST, t."trade_date" DESC NULLS LAST, t."tenor_label" ASC NULLS LAST',
    )
  })
})

describe('Q1: statement text', () => {
  it.each(["2330' OR 1=1--", '%', '$1', '"; DROP', '😀', "\\'"])('Q1: the statement binds %s and does not contain it', hostile => {
    const [plain, sent] = ['統一', hostile].map(name =>
      statement('broker-branch-reference', `parent_broker_name=${encodeURIComponent(name)}`),
    )
    expect(sent!.text).toBe(plain!.text)
    expect(sent!.values[0]).toBe(hostile)
  })

  it('Q1: the text of a statement depends on parameter names only', () => {
    const text = (query: string) => statement('bond-yield-curve', query).text
    expect(text('symbol=2Y&start_date=2026-06-01&limit=1')).toBe(text('symbol=10Y&start_date=2025-01-01&limit=99&offset=7'))
  })
})
