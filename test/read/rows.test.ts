import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Dataset, pathOf } from '../../catalog/index.ts'
import { publishRows, service, type TestService } from '../support.ts'

let s: TestService
beforeAll(async () => {
  s = await service({ indexed: false })
})
afterAll(() => s.close())

const text = 'string'
const date = /^\d{4}-\d\d-\d\d$/
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?\+08:00$/
type Shape = Readonly<Record<string, 'string' | 'number' | 'boolean' | 'array' | 'null' | RegExp | readonly string[]>>

/**
 * Fields according to the tables and captures of the specification. A list has the fields of an
 * object.
 */
const ROWS: Readonly<Record<string, Shape>> = {
  '/v2/datasets/bond-yield-curve?symbol=TWGB': {
    trade_date: date,
    curve_type: text,
    tenor_label: /^\d+[YM]$/,
    maturity_years: 'number',
    yield_rate: 'number',
    as_of: date,
    index_version: text,
    source_provider: text,
    source_role: text,
    source_family: text,
    source_authority: text,
    lineage: ['echo_ok', 'emitter', 'bond_code', 'residual_years', 'source_data_date'],
  },
  '/v2/datasets/securities-firm-master': {
    broker_id: text,
    broker_name: text,
    tax_id: text,
    region_code: text,
    phone: text,
    fax: text,
    settlement_bank: text,
    business_status: 'null',
    business_type: text,
    chairman: text,
    general_manager: text,
    admin_address: text,
    note: 'null',
    registered_capital_k: 'number',
    paid_capital_k: 'number',
    operating_capital_k: 'null',
    report_date: date,
    change_date: date,
    margin_start_date: date,
    established_date: date,
    business_start_date: date,
    market: text,
    business_items: 'array',
    source_family: text,
    lineage: ['grain', 'source', 'emitter'],
  },
  '/v2/datasets/theme-taxonomy': {
    symbol: text,
    theme_id: text,
    theme_name: text,
    taxonomy_type: text,
    market: text,
    classification_level: text,
    source_name: text,
    source_url: text,
    as_of_date: date,
    source_role: text,
    updated_at: timestamp,
    lineage: ['sources', 'theme_policy', 'mapping_version', 'taxonomy_version', 'subindustry_policy'],
  },
  '/v2/datasets/institutional-positioning?symbol=2330': {
    ticker: text,
    market: text,
    trade_date: date,
    foreign_net_buy: 'number',
    investment_trust_net_buy: 'number',
    dealer_net_buy: 'number',
    institutional_net_buy_total: 'number',
    foreign_pct: 'number',
    foreign_pct_percentile: 'null',
    buy_streak: 'number',
    sell_streak: 'number',
    inst_share_of_volume: 'number',
  },
  '/v2/datasets/company-risk-events?symbol=2330': {
    symbol: text,
    event_date: date,
    risk_type: text,
    description: text,
    source_role: text,
    lineage: ['authority', 'feed', 'source_release'],
  },
  '/v2/datasets/index-classification': {
    index_code: text,
    market: text,
    as_of_date: date,
    classification_version: text,
    index_name: text,
    index_type: text,
    sector: 'null',
    industry: 'null',
    parent_index_code: 'null',
    is_sector_index: 'boolean',
    is_broad_market_index: 'boolean',
    theme_primary: 'null',
    theme_secondary: 'null',
    classification_source: text,
    provider: text,
    source_role: text,
    lineage: ['source_key', 'mapping_rule', 'upstream_lineage', 'classification_version', 'excluded_fields_reason'],
    updated_at: timestamp,
  },
  '/v2/datasets/broker-branch-reference?branch_code=585B': {
    parent_broker_code: text,
    parent_broker_name: text,
    branch_code: text,
    branch_name: text,
    market: text,
    address: text,
    source_provider: text,
    source_role: text,
    source_family: text,
    data_gaps: 'array',
    source_lineage: [
      'emitter',
      'open_date',
      'branch_code',
      'broker_code',
      'source_date',
      'source_role',
      'source_family',
      'raw_branch_name',
      'source_provider',
      'broker_id_source',
      'source_canonical',
      'branch_name_guess',
      'broker_name_guess',
    ],
  },
  '/v1/earnings?symbol=2330': {
    ticker: text,
    fiscal_period: /^\d{4}-Q[1-4]$/,
    report_type: text,
    announcement_date: date,
    revenue: 'number',
    gross_profit: 'number',
    operating_income: 'number',
    net_income: 'number',
    eps: 'number',
    eps_surprise_pct: 'null',
  },
  '/v1/segments/all?symbol=2330': { ticker: text, fiscal_period: text, segment: text, revenue: 'number', net_income: 'number' },
  '/v1/financial-reports/company-earnings?symbol=2330': {
    ticker: text,
    fiscal_period: text,
    revenue: 'number',
    eps: 'number',
    net_income: 'number',
    currency: /^[A-Z]{3}$/,
  },
}

/** Keys that are not in the tables: additions that clients may ignore. */
const ADDED: Readonly<Record<string, readonly string[]>> = {
  '/v1/earnings?symbol=2330': ['period_end'],
  '/v1/segments/all?symbol=2330': ['report_type', 'period_end', 'announcement_date'],
  '/v1/financial-reports/company-earnings?symbol=2330': ['report_type', 'period_end', 'announcement_date'],
}

const kindOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)

it('rows of every dataset in the specification have its fields and types', async () => {
  const key = s.keyOn('max')
  for (const [url, shape] of Object.entries(ROWS)) {
    const body = (await s.get(url, key)).json()
    const [row] = (body.data ?? body.envelope.data) as Record<string, unknown>[]
    expect.soft(Object.keys(row!).sort(), `fields of ${url}`).toEqual([...Object.keys(shape), ...(ADDED[url] ?? [])].sort())
    for (const [name, expected] of Object.entries(shape)) {
      const cell = `${name} of ${url}`
      if (expected instanceof RegExp) expect.soft(row![name], cell).toMatch(expected)
      else if (typeof expected === 'string') expect.soft(kindOf(row![name]), cell).toBe(expected)
      else expect.soft(Object.keys(row![name] as object).sort(), cell).toEqual([...expected].sort())
    }
  }
})

it('rows have numbers as JSON numbers, dates as YYYY-MM-DD and texts with leading zeros', async () => {
  const { data } = (await s.get('/v2/datasets/securities-firm-master?symbol=9997', s.keyOn('free'))).json()
  expect(data[0]).toMatchObject({
    tax_id: '00000001',
    registered_capital_k: 5_000_000,
    report_date: '2026-06-30',
    operating_capital_k: null,
  })
})

it('every envelope marks sample rows as synthetic', async () => {
  const made = await service({ examples: false, indexed: false, inMemory: false })
  const publish = async ({ slug, example }: Dataset) => {
    await publishRows(made.workspace, made.dir, made.dataset(slug), example, { synthetic: true })
    await made.releases.refresh()
  }
  // Volumes are published first: the publication of shares of volume checks the example against
  // them.
  const quotes = made.dataset('daily-prices')
  await publish(quotes)
  // Tests one dataset per envelope.
  for (const url of Object.keys(ROWS).filter(one => /bond|institutional|theme|branch|earnings\?/.test(one))) {
    const dataset = [...made.catalog.values()].find(dataset => url.startsWith(pathOf(dataset)))!
    await publish(dataset)
    const full = dataset.envelope.kind === 'A-bare' ? '&envelope=full' : ''
    const body = (await made.get(`${url}${full}`, made.keyOn('max'))).json()
    expect(body.warnings, url).toContain('synthetic_sample_data')
    expect(body.known_gaps, url).toContain('synthetic_sample_data')
    expect(JSON.stringify(body.lineage ?? body.envelope.lineage), url).toContain('synthetic')
  }
  await made.close()
})
