import { Ajv2020, type SchemaObject } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { served } from '../../catalog/index.ts'
import { MAX_TOKENS, tokensOf } from '../../src/mcp/index.ts'
import { NOW, service, type TestService } from '../support.ts'
import { balanced, holder, spend } from '../usage/ledger.ts'
import { type Agent, agentAt } from './agent.ts'

/** Number of companies, each with a long Chinese name. */
const COMPANIES = 900

let s: TestService
let origin: string
const agents: Agent[] = []
beforeAll(async () => {
  s = await service()
  const [company] = s.dataset('listed-securities').example
  const many = Array.from({ length: COMPANIES }, (_, index) => ({
    ...company!,
    ticker: String(3_000 + index),
    name: `第${index}號半導體製造股份有限公司`,
  }))
  await s.publish('listed-securities', many, { accept: ['row_count'] })
  origin = await s.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(async () => {
  for (const agent of agents) await agent.close()
  await s.close()
})

async function agentWith(key?: string): Promise<Agent> {
  const agent = await agentAt(origin, key)
  agents.push(agent)
  return agent
}

/** Older clients validate errors against the schema of results, too. */
const schemas = new Ajv2020({ strict: false, validateFormats: false })

/** The error of a tool. */
async function refused(agent: Agent, name: string, args: Record<string, unknown>) {
  const { isError, answer, text } = await agent.call(name, args)
  expect(isError, text).toBe(true)
  expect(JSON.parse(text)).toEqual(answer)
  const { tools } = await agent.client.listTools()
  const schema = tools.find(tool => tool.name === name)!.outputSchema as SchemaObject
  expect(schemas.validate(schema, answer), schemas.errorsText()).toBe(true)
  expect(schemas.validate(schema, {})).toBe(false)
  return answer.error
}

const ROWS = { dataset: 'daily-prices', columns: ['close'], filters: { symbol: '2330' } }

it('a tool names the wrong arguments, suggests names and charges nothing', async () => {
  const { key, accountId } = holder(s, 'max', 'mistaken@example.test', NOW)
  const agent = await agentWith(key)
  const unknown = await refused(agent, 'get_rows', { ...ROWS, dataset: 'daily-price' })
  expect(unknown).toMatchObject({ error_code: 'unknown_dataset', did_you_mean: 'daily-prices' })
  expect(unknown.what_next).toContain('describe_dataset')
  const { columns: _, ...without } = ROWS
  expect(await refused(agent, 'get_rows', without)).toMatchObject({
    error_code: 'invalid_parameter',
    detail: [{ loc: ['arguments', 'columns'], type: 'missing', msg: expect.stringContaining('describe_dataset') }],
  })
  const byDate = await refused(agent, 'get_rows', { ...ROWS, filters: { date: '2026-06-30' } })
  expect(byDate.detail).toMatchObject([{ loc: ['arguments', 'filters', 'date'], msg: expect.stringContaining('cross_section: true') }])
  for (const args of [{ entity_type: 'company' }, { entity_type: 'company', entities: ['2330'], entity_ids: ['2330'] }])
    expect((await refused(agent, 'get_fields', args)).detail).toMatchObject([{ loc: ['arguments', 'entity_ids'], type: 'missing' }])
  const inChinese = await s.app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { 'x-api-key': key, 'accept-language': 'zh-TW' },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_rows', arguments: { ...ROWS, dataset: 'x' } } },
  })
  expect(inChinese.json().result.structuredContent.error.error_message).toBe('此資料集不存在。請檢查名稱。')
  const wrong = { ...ROWS, columns: ['closed'] }
  expect((await refused(agent, 'get_rows', wrong)).error_message).toContain('did you mean close?')
  const twice = { ...ROWS, columns: ['code', 'code'] }
  expect((await refused(agent, 'get_rows', twice)).error_message).toContain('the unknown columns code; available')
  expect((await refused(agent, 'get_rows', { ...ROWS, filters: {} })).detail).toMatchObject([{ loc: ['symbol'], type: 'missing' }])
  expect((await refused(agent, 'get_rows', { ...ROWS, filters: { symbol: '2330', limit: 3 } })).error_message).toContain(
    'as arguments of the tool',
  )
  const foreign = await refused(agent, 'get_rows', { ...ROWS, filters: { day: '2026-06-30' } })
  expect(foreign.detail).toMatchObject([
    {
      loc: ['arguments', 'filters', 'day'],
      msg: expect.stringMatching(/; accepted: symbol, market, start_date, end_date(; did you mean|$)/),
    },
    { loc: ['arguments', 'filters', 'symbol'], type: 'missing' },
  ])
  expect((await refused(agent, 'find', { text: 'TSMC' })).detail).toMatchObject([
    { loc: ['arguments', 'query'], type: 'missing', msg: 'query: required by this tool' },
    { loc: ['arguments'], type: 'unknown_parameter' },
  ])
  const types = 'company, broker, branch, index, bond_tenor'
  const untyped = { entity_ids: ['2330'], fields: ['earnings.eps'] }
  expect((await refused(agent, 'get_fields', untyped)).detail).toMatchObject([
    { loc: ['arguments', 'entity_type'], type: 'missing', msg: `entity_type: required by this tool; accepted: ${types}` },
  ])
  expect((await refused(agent, 'get_fields', { ...untyped, entity_type: 'firm' })).detail).toMatchObject([
    { loc: ['arguments', 'entity_type'], type: 'pattern', msg: `entity_type: invalid value; accepted: ${types}` },
  ])
  expect((await refused(agent, 'find', { query: 2330 })).detail).toMatchObject([{ type: 'pattern' }])
  expect((await refused(agent, 'get_rows', { ...ROWS, row_limit: 3 })).error_message).toContain('row_limit')
  expect((await refused(agent, 'get_rows', { ...ROWS, cursor: 'MQ' })).error_code).toBe('invalid_cursor')
  const field = { entity_type: 'company', entities: ['2330'], fields: ['earnings.epss'] }
  expect((await refused(agent, 'get_fields', field)).error_message).toContain('earnings.eps')
  await expect(agent.call('buy_shares')).rejects.toThrow('There is no tool buy_shares')
  expect(balanced(s.dir, accountId)).toEqual({ requests: 0, credits: 0 })
})

it('get_rows refuses a cursor that was issued for other arguments', async () => {
  const agent = await agentWith(s.keyOn('max', 'pages@example.test'))
  const { answer } = await agent.call('get_rows', { ...ROWS, limit: 1 })
  expect((await refused(agent, 'get_rows', { ...ROWS, columns: ['open'], limit: 1, cursor: answer.next_cursor })).error_code).toBe(
    'invalid_cursor',
  )
})

it('a tool reports at most 10 of many mistakes, within the token limit', async () => {
  const { key, accountId } = holder(s, 'max', 'careless@example.test', NOW)
  const agent = await agentWith(key)
  const filters = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`filter${at}`, '1']))
  const columns = Array.from({ length: 100 }, (_, at) => `${'column'.repeat(15)}${at}`)
  for (const args of [
    { filters },
    { filters: {}, columns },
    { columns: columns.map(() => 1) },
    { columns: Array(5_000).fill(1) },
    { filters: { ['name'.repeat(15_000)]: '1' } },
  ]) {
    const error = await refused(agent, 'get_rows', { ...ROWS, ...args })
    expect(error.error_code).toBe('invalid_parameter')
    expect(error.detail.length).toBeLessThanOrEqual(10)
    expect(tokensOf(JSON.stringify(error))).toBeLessThan(4_000)
  }
  const long = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`${'名'.repeat(1_500)}${at}`, '1']))
  expect(tokensOf(JSON.stringify(await refused(agent, 'get_rows', { ...ROWS, filters: long })))).toBeLessThan(MAX_TOKENS)
  // The missing filter is a mistake, too.
  expect((await refused(agent, 'get_rows', { ...ROWS, filters })).mistakes).toBe(2_001)
  expect((await refused(agent, 'get_rows', { ...ROWS, columns })).error_message).toContain('and 90 more; available: ticker')
  expect(balanced(s.dir, accountId)).toEqual({ requests: 0, credits: 0 })
})

it('a refusal states the required plan, or the time at which credits reset', async () => {
  const free = holder(s, 'free', 'free@example.test', NOW)
  const agent = await agentWith(free.key)
  const positioning = { dataset: 'institutional-positioning', columns: ['trade_date'], filters: { symbol: '2330' } }
  const plan = await refused(agent, 'get_rows', positioning)
  expect(plan).toMatchObject({ error_code: 'plan_required', required_plan: 'pro', current_plan: 'free', blocking_gate: 'plan' })
  expect(plan.error_message).toBe('institutional-positioning requires the pro plan. The current plan is free.')
  for (const part of ['Ask the user', 'the pro plan', '/account', '/v2/product/tiers', 'a dataset of the free plan'])
    expect(plan.what_next).toContain(part)
  const fields = await refused(agent, 'get_fields', { entity_type: 'company', entities: ['2330'], fields: ['earnings.eps'] })
  expect(fields).toMatchObject({ error_code: 'plan_required', error_message: expect.stringContaining('eps') })
  expect(fields.what_next).toContain(`the ${fields.required_plan} plan`)
  await spend(s, free, 1_000, 0, NOW)
  const credits = await refused(agent, 'find', { query: '2330' })
  expect(credits).toMatchObject({ error_code: 'credits_exhausted', resets_at: expect.any(String) })
  expect((await agent.call('whats_new')).isError).toBe(false)
})

it('describe_dataset works without a key, and other tools explain how to get a key', async () => {
  const agent = await agentWith()
  expect((await agent.client.listTools()).tools).toHaveLength(6)
  expect((await agent.call('describe_dataset')).answer.datasets).toHaveLength(served(s.catalog).length)
  for (const [name, args] of [
    ['find', { query: '2330' }],
    ['get_rows', ROWS],
    ['get_fields', { entity_type: 'company', entities: ['2330'] }],
  ] as const) {
    const error = await refused(agent, name, args)
    expect(error.error_code).toBe('missing_api_key')
    expect(error.error_message).toContain('/account')
  }
})

it('get_rows pages through 900 rows within the token limit without losing a row', async () => {
  const agent = await agentWith(s.keyOn('max', 'large@example.test'))
  const question = {
    dataset: 'securities',
    columns: ['ticker', 'name', 'market', 'listed_on'],
    filters: { status: 'listed' },
    sort: 'ticker',
    limit: 1_000,
  }
  const seen: string[] = []
  let pages = 0
  for (let cursor: string | null | undefined; cursor !== null; pages++) {
    const { answer, text, isError } = await agent.call('get_rows', { ...question, ...(cursor && { cursor }) })
    expect(isError, text).toBe(false)
    expect(tokensOf(text)).toBeLessThanOrEqual(MAX_TOKENS)
    expect(answer).toMatchObject({ returned: answer.rows.length, total: COMPANIES })
    seen.push(...answer.rows.map(([ticker]: [string]) => ticker))
    cursor = answer.next_cursor
  }
  expect(pages).toBeGreaterThan(1)
  expect(seen).toEqual(Array.from({ length: COMPANIES }, (_, at) => String(3_000 + at)))
})

it('describe_dataset stays within the token limit for every dataset', async () => {
  const agent = await agentWith()
  for (const { slug } of served(s.catalog)) {
    const { answer, text } = await agent.call('describe_dataset', { dataset: slug })
    expect(answer.dataset.dataset).toBe(slug)
    expect(tokensOf(text), slug).toBeLessThanOrEqual(MAX_TOKENS)
  }
})

it('get_rows returns signed file URLs that need no key', async () => {
  const { key, accountId } = holder(s, 'max', 'files@example.test', NOW)
  const agent = await agentWith(key)
  const { answer } = await agent.call('get_rows', { ...ROWS, files: true })
  const [file] = answer.files.list
  const { pathname, search } = new URL(file.url)
  const { statusCode, rawPayload } = await s.get(`${pathname}${search}`)
  expect([statusCode, rawPayload.subarray(0, 4).toString()]).toEqual([200, 'PAR1'])
  expect(balanced(s.dir, accountId)).toEqual({ requests: 1, credits: answer.credits })
  const { answer: page } = await agent.call('get_rows', { ...ROWS, limit: 1 })
  const csv = new URL(page.download.csv_url)
  expect((await s.get(`${csv.pathname}${csv.search}`, key)).body.split('\r\n').slice(0, 1)).toEqual(['close'])
})

describe('the /mcp endpoint', () => {
  const LIST = { jsonrpc: '2.0', id: 7, method: 'tools/list' }
  const post = (headers: Record<string, string>, payload: unknown = LIST) =>
    s.app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { 'content-type': 'application/json', ...headers },
      payload: JSON.stringify(payload),
    })

  it('/mcp accepts requests without an Origin or with its own Origin and refuses other origins with 403', async () => {
    const statusOf = async (headers: Record<string, string>) => (await post(headers)).statusCode
    expect(await statusOf({})).toBe(200)
    expect(await statusOf({ origin: 'http://127.0.0.1' })).toBe(200)
    for (const host of ['127.0.0.1:8080', 'localhost:8080', '[::1]:8080', '192.0.2.7']) expect(await statusOf({ host }), host).toBe(200)
    for (const headers of [
      { origin: 'https://elsewhere.example' },
      { origin: 'null' },
      { host: 'elsewhere.example' },
      { host: 'elsewhere.example', origin: 'http://elsewhere.example' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      const { statusCode, body } = await post(headers)
      expect([statusCode, JSON.parse(body).error.error_code], JSON.stringify(headers)).toEqual([403, 'foreign_origin'])
    }
  })

  it('/mcp behind a proxy accepts the origin of PUBLIC_URL, whatever X-Forwarded-Host says, and refuses other origins', async () => {
    const proxied = await service({ examples: false, trustProxy: '127.0.0.1', publicUrl: 'https://api.example' })
    const statusOf = async (headers: Record<string, string>) =>
      (await proxied.app.inject({ method: 'POST', url: '/mcp', headers: { host: 'localhost:8080', ...headers }, payload: LIST })).statusCode
    try {
      expect(await statusOf({ 'x-forwarded-host': 'api.example', origin: 'https://api.example' })).toBe(200)
      expect(await statusOf({ 'x-forwarded-host': '192.0.2.7:8443', origin: 'https://192.0.2.7:8443' })).toBe(403)
      expect(await statusOf({ 'x-forwarded-host': '192.0.2.7:8443', origin: 'https://api.example' })).toBe(200)
      // An origin on the proxy's own host belongs to other pages of that machine.
      expect(await statusOf({ 'x-forwarded-host': 'api.example', origin: 'https://localhost:8080' })).toBe(403)
      expect(await statusOf({ 'x-forwarded-host': 'elsewhere.example', origin: 'https://elsewhere.example' })).toBe(403)
    } finally {
      await proxied.close()
    }
  })

  it('/mcp accepts one JSON-RPC message per POST and refuses batches, other methods and large bodies', async () => {
    const { headers, body } = await post({})
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-request-id': /^req_/,
    })
    expect(JSON.parse(body)).toMatchObject({ id: 7, result: { tools: expect.any(Array) } })
    const batch = await post({}, [LIST, LIST])
    expect([batch.statusCode, batch.json().error.error_message]).toEqual([422, 'body must be a JSON object'])
    expect((await post({}, { jsonrpc: '2.0', method: 'notifications/initialized' })).statusCode).toBe(202)
    expect((await post({ 'x-api-key': `sk_live_${'x'.repeat(32)}` })).statusCode).toBe(401)
    expect((await post({}, { ...LIST, padding: 'x'.repeat(70_000) })).statusCode).toBe(413)
    for (const method of ['GET', 'DELETE'] as const) {
      const { statusCode, headers } = await s.app.inject({ method, url: '/mcp' })
      expect([statusCode, headers['allow']], method).toEqual([405, 'POST'])
    }
  })

  it('/mcp refuses subscriptions/listen', async () => {
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} }
    const listen = {
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: { _meta: meta, notifications: { toolsListChanged: true } },
    }
    const { body } = await post({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' }, listen)
    expect(JSON.parse(body).error.message).toContain('limit reached')
  })

  it('/mcp sends X-Credits-Charged with tool calls', async () => {
    const call = { ...LIST, method: 'tools/call', params: { name: 'get_rows', arguments: ROWS } }
    const { headers } = await post({ 'x-api-key': s.keyOn('pro', 'told@example.test') }, call)
    expect(headers).toMatchObject({ 'x-credits-charged': '1' })
  })
})

it('tools let visitors read free datasets with VISITORS=free, but list no files for visitors', async () => {
  const shown = await service({ visitors: 'free' })
  try {
    const agent = await agentAt(await shown.app.listen({ port: 0, host: '127.0.0.1' }))
    const { answer } = await agent.call('get_rows', { ...ROWS, limit: 1 })
    expect(answer).toMatchObject({ returned: 1, credits: 0, credits_left: null })
    expect(answer.download).toBeUndefined()
    expect((await refused(agent, 'get_rows', { ...ROWS, files: true })).error_message).toContain('API key')
    expect(
      (await refused(agent, 'get_rows', { ...ROWS, dataset: 'bond-yield-curve', columns: ['yield_rate'], filters: {} })).error_code,
    ).toBe('plan_required')
    await agent.close()
  } finally {
    await shown.close()
  }
})
