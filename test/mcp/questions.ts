import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { tokensOf } from '../../src/mcp/index.ts'
import { blocksOf } from '../behaviour/documents/documents.ts'
import { CHECKOUT, environment } from '../fixtures/cli/twmd.ts'
import { NOW, service, type TestService } from '../support.ts'
import { balanced, type Holder, holder } from '../usage/ledger.ts'
import { type Agent, agentOver } from './agent.ts'

let s: TestService
let account: Holder
let origin: string
const ofService: Agent[] = []
/** Total credits that the service's answers stated. */
let spent = 0
/** The two configurations in the guide: one calls a service, the other starts the command. */
const [OVER_HTTP, OVER_STDIO] = blocksOf('docs/mcp.md')
  .filter(({ language }) => language === 'json')
  .map(({ text }) => text) as [string, string]

/** A configuration with its placeholders replaced. */
const configured = (text: string, own: Readonly<Record<string, string>>) =>
  JSON.parse(Object.entries(own).reduce((filled, [name, value]) => filled.replaceAll(name, value), text)).mcpServers.twmd

/** An agent that calls the service. Closed after the tests. */
async function calling(mode: 'auto' | 'legacy'): Promise<Agent> {
  const { url, headers } = configured(OVER_HTTP, { 'http://127.0.0.1:8080': origin, sk_live_YOUR_KEY: account.key })
  const agent = await agentOver(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }), mode)
  ofService.push(agent)
  return agent
}

/** An agent that starts the command on the same data folder. */
async function starting(): Promise<Agent> {
  const { command, args, env } = configured(OVER_STDIO, { '/path/to/twmd/data': s.dir, '/path/to/twmd/': CHECKOUT })
  const variables = { ...(environment(s.dir) as Record<string, string>), ...env }
  const agent = await agentOver(new StdioClientTransport({ command, args, env: variables, stderr: 'ignore' }))
  ofService.push(agent)
  return agent
}

/**
 * Ways in which an agent reaches the service: over HTTP like current clients, over HTTP like
 * clients of 2025, and through the command.
 */
const TRANSPORTS = {
  HTTP: { open: () => calling('auto'), revision: '2026-07-28', isCharged: true },
  'HTTP with protocol 2025-11-25': { open: () => calling('legacy'), revision: '2025-11-25', isCharged: true },
  stdio: { open: starting, revision: '2026-07-28', isCharged: false },
} as const

/**
 * Registers tests with an analyst's questions, which the agent answers with tools over one
 * transport.
 */
export function testQuestions(name: keyof typeof TRANSPORTS): void {
  const { open, revision, isCharged } = TRANSPORTS[name]
  beforeAll(async () => {
    spent = 0
    s = await service()
    const [tenYears] = s.dataset('bond-yield-curve').example.filter(row => row['tenor_label'] === '10Y')
    const earlier = { trade_date: '2026-05-29', as_of: '2026-05-29', yield_rate: 1.655 }
    await s.publish('bond-yield-curve', [...s.dataset('bond-yield-curve').example, { ...tenYears!, ...earlier }])
    const [last] = s.dataset('institutional-positioning').example
    const dealers = { dealer_net_buy: -700, institutional_net_buy_total: 3_119_800, inst_share_of_volume: null }
    await s.publish('institutional-positioning', [{ ...last!, ...dealers }], { accept: ['row_count'] })
    origin = await s.app.listen({ port: 0, host: '127.0.0.1' })
    account = holder(s, 'max', 'analyst@example.test', NOW)
  })
  afterAll(async () => {
    for (const agent of ofService) await agent.close()
    await s.close()
  })
  let agent: Agent
  /** The result of a tool, which must not be an error. */
  const ask = async (name: string, args: Record<string, unknown>) => {
    const { isError, answer, text } = await agent.call(name, args)
    expect(isError, text).toBe(false)
    expect(JSON.parse(text)).toEqual(answer)
    if (isCharged) spent += answer.credits ?? 0
    return answer
  }
  beforeAll(async () => {
    agent = await open()
  })

  it(`an agent over ${name} negotiates its protocol revision and lists six read-only tools`, async () => {
    expect(agent.client.getNegotiatedProtocolVersion()).toBe(revision)
    const { tools } = await agent.client.listTools()
    expect(tokensOf(JSON.stringify(tools))).toBeLessThan(9_600)
    expect(tools.map(({ name }) => name)).toEqual(['find', 'describe_dataset', 'get_rows', 'get_fields', 'run_sql', 'whats_new'])
    for (const { annotations, outputSchema, description } of tools) {
      expect(annotations).toMatchObject({ readOnlyHint: true, openWorldHint: false })
      expect(outputSchema?.type).toBe('object')
      expect(description).toMatch(/ Price: (none|1 credit|1 credit or more|1 to \d+ credits)/)
    }
  })

  it(`an agent over ${name} finds who bought 2330 on the last day`, async () => {
    const { hits } = await ask('find', { query: '台積電', type: 'symbol' })
    const { datasets } = await ask('find', { query: 'institutional', type: 'dataset' }).then(({ hits }) => ({ datasets: hits }))
    const { datasets: slugs } = await ask('describe_dataset', {})
    expect(slugs.map((one: { readonly dataset: string }) => one.dataset)).toEqual(expect.arrayContaining(hits[0].datasets))
    expect(hits[0].datasets).toEqual(expect.arrayContaining(['daily-prices', 'institutional-positioning']))
    const { dataset } = await ask('describe_dataset', { dataset: datasets[0].id })
    const columns = dataset.columns.map(({ name }: { name: string }) => name).filter((name: string) => name.endsWith('_net_buy'))
    const filters = { [dataset.filters[0].name]: hits[0].id }
    const answer = await ask('get_rows', {
      dataset: dataset.dataset,
      columns: ['trade_date', ...columns],
      filters,
      sort: '-trade_date',
      limit: 1,
    })
    expect(answer.columns).toEqual(['trade_date', 'foreign_net_buy', 'investment_trust_net_buy', 'dealer_net_buy'])
    expect(answer.rows).toEqual([['2026-06-30', 3_000_000, 120_500, -700]])
    expect(answer).toMatchObject({
      total: 2,
      returned: 1,
      data_as_of: '2026-06-30',
      warnings: expect.arrayContaining(['not_investment_advice']),
    })
    const sold = await ask('get_rows', {
      dataset: dataset.dataset,
      columns: ['trade_date'],
      filters,
      range: 'foreign_net_buy:..<0,dealer_net_buy:250..250',
    })
    expect(sold).toMatchObject({ rows: [['2026-06-29']], total: 1 })
    const rest = await ask('get_rows', {
      dataset: dataset.dataset,
      columns: ['trade_date', ...columns],
      filters,
      sort: '-trade_date',
      limit: 1,
      cursor: answer.next_cursor,
    })
    expect(rest).toMatchObject({ rows: [['2026-06-29', -1_250, 0, 250]], total: 2, next_cursor: null, release: answer.release })
  })

  it(`an agent over ${name} reads the ten-year yield of a day and of one month before`, async () => {
    const yieldOn = async (as_of_date: string) => {
      const { entities } = await ask('get_fields', {
        entity_type: 'bond_tenor',
        entities: ['10Y'],
        fields: ['curve.yield_rate'],
        as_of_date,
      })
      const { value, unit, as_of_date: day } = entities[0].fields['curve.yield_rate']
      return [value, unit, day]
    }
    expect(await yieldOn('2026-06-30')).toEqual([1.724, 'percent', '2026-06-30'])
    expect(await yieldOn('2026-05-30')).toEqual([1.655, 'percent', '2026-05-29'])
  })

  it(`an agent over ${name} finds the revenue growth of a company`, async () => {
    const { hits } = await ask('find', { query: 'monthly revenue', type: 'dataset' })
    const columns = ['month', 'revenue', 'yoy_pct']
    const { rows } = await ask('get_rows', { dataset: hits[0].id, columns, filters: { symbol: '2330' }, limit: 1 })
    expect(rows).toEqual([['2026-05', 320_000_000_000, 25]])
  })

  it(`an agent over ${name} reads the changes since yesterday, and the release before these changes`, async () => {
    const { updates, total } = await ask('whats_new', { published_since: '2026-07-01', dataset: 'institutional-positioning' })
    expect(total).toBe(2)
    expect(updates[0]).toMatchObject({ kind: 'revision', changed: { rows: 1, data_date_from: '2026-06-30', data_date_to: '2026-06-30' } })
    const { rows } = await ask('get_rows', {
      dataset: 'institutional-positioning',
      columns: ['dealer_net_buy'],
      filters: { symbol: '2330', start_date: '2026-06-30' },
      release: updates[0].previous_release,
    })
    expect(rows).toEqual([[-500]])
  })

  it(`an agent over ${name} reads the earnings known as of a day`, async () => {
    const eps = async (as_of_date: string) => {
      const { entities } = await ask('get_fields', { entity_type: 'company', entity_ids: ['2330'], fields: ['earnings.eps'], as_of_date })
      const { value, period } = entities[0].fields['earnings.eps']
      return [value, period]
    }
    expect(await eps('2026-05-13')).toEqual([14, '2025-Q4'])
    expect(await eps('2026-05-14')).toEqual([15, '2026-Q1'])
  })

  it(`an agent over ${name} ranks all securities of a day by dealer sales`, async () => {
    const { dataset } = await ask('describe_dataset', { dataset: 'institutional-positioning' })
    const [day] = dataset.cross_section_filters
    const answer = await ask('get_rows', {
      dataset: dataset.dataset,
      columns: ['ticker', 'dealer_net_buy'],
      cross_section: true,
      filters: { [day.name]: dataset.last_date },
      sort: 'dealer_net_buy',
      limit: 5,
    })
    expect(answer).toMatchObject({ rows: [['2330', -700]], total: 1, next_cursor: null })
  })

  it(`an agent over ${name} is charged the credits that its answers state`, async () => {
    const { credits, credits_left } = await ask('get_rows', { dataset: 'daily-prices', columns: ['close'], filters: { symbol: '2330' } })
    const { credits: booked } = balanced(s.dir, account.accountId)
    expect(booked).toBe(spent)
    expect([credits, credits_left]).toEqual(isCharged ? [1, 1_000_000 - booked] : [0, null])
  })
}
