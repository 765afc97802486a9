import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { service, type TestService } from '../support.ts'

let s: TestService
beforeAll(async () => {
  s = await service({ indexed: false })
})
afterAll(() => s.close())

const BOND = '/v2/datasets/bond-yield-curve?symbol=TWGB'
const THEME = '/v2/datasets/theme-taxonomy?'

async function fault(url: string) {
  const response = await s.get(url, s.keyOn('max'))
  expect(response.statusCode).toBe(422)
  return response.json().detail
}

async function rows(url: string, name: string): Promise<readonly unknown[]> {
  const response = await s.get(url, s.keyOn('max'))
  expect(response.statusCode).toBe(200)
  const body = response.json()
  return (body.data ?? body.envelope.data).map((row: Record<string, unknown>) => row[name])
}

describe('limit and offset', () => {
  it('limit and offset select the requested page', async () => {
    expect(await rows(`${BOND}&limit=1`, 'yield_rate')).toEqual([1.512])
    expect(await rows(`${BOND}&limit=1&offset=1`, 'yield_rate')).toEqual([1.724])
    expect(await rows(`${BOND}&limit=3&offset=2`, 'yield_rate')).toEqual([1.719])
    expect(await rows(`${BOND}&offset=3`, 'yield_rate')).toEqual([])
  })

  it.each(['-1', '0', '1e9', '1.5', '%205', '', '100001', '0x10', '٥', '99999999999999999999', 'NaN'])(
    'Q5: the service refuses limit=%s',
    async value => {
      expect(await fault(`${BOND}&limit=${encodeURI(decodeURI(value))}`)).toEqual([
        { loc: ['query', 'limit'], msg: 'limit must be an integer from 1 to 100000', type: 'int_range', input: decodeURI(value) },
      ])
    },
  )

  it.each(['-1', '9007199254740992', '1.0', '1e1', ''])('Q5: the service refuses offset=%s', async value => {
    const [{ loc, type, input }] = await fault(`${BOND}&offset=${value}`)
    expect({ loc, type, input }).toEqual({ loc: ['query', 'offset'], type: 'int_range', input: value })
  })

  it('the service accepts the largest limit and offset', async () => {
    expect(await rows(`${BOND}&limit=100000&offset=1000000000`, 'yield_rate')).toEqual([])
  })
})

describe('sort_by and sort_order', () => {
  it('rows are sorted by sort_by and sort_order first, and then in the default order', async () => {
    expect(await rows(`${BOND}&sort_by=maturity_years`, 'yield_rate')).toEqual([1.724, 1.719, 1.512])
    expect(await rows(`${BOND}&sort_by=maturity_years&sort_order=asc`, 'yield_rate')).toEqual([1.512, 1.724, 1.719])
    expect(await rows(`${BOND}&sort_order=asc`, 'yield_rate')).toEqual([1.719, 1.512, 1.724])
  })

  it.each(['1', 'yield_rate', '1,(select 1)', '__proto__', 'trade_date desc', '', 'constructor'])(
    'Q2: the service refuses sort_by=%s and lists the sortable columns',
    async by => {
      expect(await fault(`${BOND}&sort_by=${encodeURIComponent(by)}`)).toEqual([
        { loc: ['query', 'sort_by'], msg: 'sort_by must be one of trade_date, maturity_years', type: 'enum', input: by },
      ])
    },
  )

  it('the service refuses an unknown sort_order', async () => {
    expect(await fault(`${BOND}&sort_order=DESC`)).toMatchObject([{ loc: ['query', 'sort_order'], type: 'enum', input: 'DESC' }])
  })
})

describe('the columns parameter', () => {
  it('the service sends the requested columns in the requested order', async () => {
    const body = (await s.get(`${BOND}&columns=yield_rate,%20trade_date&limit=1`, s.keyOn('max'))).body
    expect(body).toContain('"data":[{"yield_rate":1.512,"trade_date":"2026-06-30"}]')
  })

  it.each(['*', 'password', '__proto__', '1;select', '', 'yield_rate,', 'YIELD_RATE', '"yield_rate"'])(
    'Q2: the service refuses columns=%s and lists the columns of the dataset',
    async columns => {
      const [{ loc, type, msg }, ...others] = await fault(`${BOND}&columns=${encodeURIComponent(columns)}`)
      expect({ loc, type, others }).toEqual({ loc: ['query', 'columns'], type: 'enum', others: [] })
      for (const name of Object.keys(s.dataset('bond-yield-curve').columns)) expect(msg).toContain(name)
    },
  )

  it('Q2: the service refuses five hundred unknown columns in fewer than 2,000 bytes', async () => {
    const response = await s.get(`${BOND}&columns=${Array.from({ length: 500 }, (_, index) => `c${index}`).join(',')}`, s.keyOn('max'))
    expect(response.statusCode).toBe(422)
    expect(response.body.length).toBeLessThan(2_000)
  })

  it('the service refuses a column named twice', async () => {
    expect(await fault(`${BOND}&columns=yield_rate,yield_rate`)).toMatchObject([{ type: 'repeated_value' }])
  })
})

describe('parameter names and values', () => {
  it('the service refuses an unknown parameter and suggests the nearest name', async () => {
    expect(await fault(`${BOND}&start_dat=2026-06-01`)).toEqual([
      {
        loc: ['query', 'start_dat'],
        msg: 'start_dat is not a parameter of bond-yield-curve; did you mean start_date?',
        type: 'unknown_parameter',
      },
    ])
  })

  it.each([
    ['ticker', 'symbol'],
    ['SYMBOL', 'symbol'],
    ['stock_id', 'symbol'],
    ['date_from', 'start_date'],
    ['date_to', 'end_date'],
    ['order_by', 'sort_by'],
    ['fields', 'columns'],
    ['page_size', 'limit'],
  ])('the service refuses %s, a common name in other APIs, and suggests %s', async (name, ours) => {
    const detail = await fault(`/v2/datasets/institutional-positioning?${name}=2330`)
    expect(detail[0]).toMatchObject({ type: 'unknown_parameter', loc: ['query', name] })
    expect(detail[0].msg).toBe(`${name} is not a parameter of institutional-positioning; did you mean ${ours}?`)
  })

  it('the service refuses a numeric column as a parameter and suggests range', async () => {
    expect((await fault('/v2/datasets/daily-prices?symbol=2330&close=1..2'))[0].msg).toBe(
      'close is not a parameter of daily-prices; did you mean range=close:<from>..<to>?',
    )
  })

  it('every route suggests only parameter names that it accepts', async () => {
    expect((await fault('/v2/coverage?ticker=2330'))[0].msg).toBe('ticker is not a parameter of this path; did you mean symbol?')
    // The list has only parameters of this dataset, which has no days.
    expect((await fault(`${THEME}date_from=2026-06-01`))[0].msg).toContain('accepted: symbol')
  })

  it.each(['__proto__', 'constructor', 'x', 'SYMBOL', 'symbol[]', 'limit;'])(
    'the service refuses the unknown parameter %s and lists or suggests the known parameters',
    async name => {
      const [{ type, msg }] = await fault(`${THEME}${encodeURIComponent(name)}=1`)
      expect(type).toBe('unknown_parameter')
      expect(msg).toMatch(/did you mean|accepted: symbol, theme/)
    },
  )

  it.each(['limit=1&limit=1', 'symbol=2330&symbol=2317', 'release=a&release=b', 'columns=symbol&columns=market'])(
    'Q5: the service refuses a repeated parameter: %s',
    async query => {
      const [{ type, loc }] = await fault(`${THEME}${query}`)
      expect({ type, loc }).toEqual({ type: 'repeated_parameter', loc: ['query', query.split('=')[0]] })
    },
  )

  it('the service reports a repeated required parameter as repeated, not as missing', async () => {
    expect(await fault('/v2/datasets/bond-yield-curve?symbol=10Y&symbol=2Y')).toMatchObject([
      { loc: ['query', 'symbol'], type: 'repeated_parameter', msg: 'symbol occurs more than once: send it once' },
    ])
    expect(await fault('/v2/search?q=a&q=b')).toMatchObject([{ type: 'repeated_parameter', msg: 'q occurs more than once: send it once' }])
  })

  it.each([
    [`${THEME}limit=1&limit=1`, false],
    [`${THEME}symbol=2330&symbol=2317`, true],
    [`${THEME}columns=symbol&columns=market`, true],
    ['/v2/datasets/institutional-positioning?symbol=2330&symbol=2317', true],
    ['/v2/query?entity_type=company&entity_ids=2330&entity_ids=2317', true],
    ['/v2/query?entity_type=company&entity_id=2330&entity_id=2317', false],
  ])('the service refuses the repeated parameter in %s, and the error suggests commas: %s', async (url, list) => {
    const [{ msg, type }] = await fault(url)
    expect([type, msg.includes('with values separated by commas')]).toEqual(['repeated_parameter', list])
  })

  it('the service refuses an empty parameter value', async () => {
    expect(await fault(`${THEME}theme=`)).toMatchObject([{ loc: ['query', 'theme'], type: 'empty', input: '' }])
  })

  it('the service refuses a value outside an enumeration and lists the allowed values', async () => {
    expect(await fault(`${THEME}taxonomy_type=style`)).toEqual([
      { loc: ['query', 'taxonomy_type'], msg: 'taxonomy_type must be one of industry, sector', type: 'enum', input: 'style' },
    ])
  })

  it('the service reports every invalid parameter in one response', async () => {
    const faults = await fault(`${BOND}&limit=0&offset=-1&sort_by=x&columns=x&start_date=x&nope=1`)
    expect(faults.map(({ loc }: { loc: string[] }) => loc[1]).sort()).toEqual([
      'columns',
      'limit',
      'nope',
      'offset',
      'sort_by',
      'start_date',
    ])
  })

  it('the service echoes at most 100 characters of an invalid value', async () => {
    const [{ input }] = await fault(`${THEME}theme=${'Z'.repeat(5_000)}`)
    expect(input).toBe(`${'Z'.repeat(100)}…`)
  })
})

it('the service accepts format=json and refuses an unknown format', async () => {
  expect(await rows(`${BOND}&format=json&limit=1`, 'yield_rate')).toEqual([1.512])
  expect(await fault(`${BOND}&format=xml`)).toMatchObject([{ loc: ['query', 'format'], type: 'enum', input: 'xml' }])
})

describe('injection attempts', () => {
  const texts = ["2330' OR 1=1--", '2330;DROP', '%', '\u0000', '\n', '😀', '２３３０', 'x'.repeat(5_000), '$1', '../2330']

  it.each(texts)('Q1: the service refuses %j as a ticker', async text => {
    expect(await fault(`${THEME}symbol=${encodeURIComponent(text)}`)).toMatchObject([{ loc: ['query', 'symbol'], type: 'pattern' }])
  })

  const readable = (text: string): boolean => text.length <= 200 && !/\p{Cc}/u.test(text)
  const named = (text: string) =>
    s.get(`/v2/datasets/broker-branch-reference?parent_broker_name=${encodeURIComponent(text)}`, s.keyOn('max'))

  it.each(texts.filter(readable))('Q1: the service finds no rows for the broker name %j', async text => {
    const response = await named(text)
    expect([response.statusCode, response.json().data]).toEqual([200, []])
  })

  it.each(texts.filter(text => !readable(text)))(
    'Q1: the service refuses the broker name %j, which has control characters or is too long',
    async text => {
      const response = await named(text)
      expect(response.statusCode).toBe(422)
      expect(response.json().detail).toMatchObject([{ loc: ['query', 'parent_broker_name'], type: 'characters' }])
    },
  )
})

describe('a boolean parameter', () => {
  it.each([
    ['dry_run', '/v2/datasets/theme-taxonomy?'],
    ['bom', '/v2/datasets/theme-taxonomy?format=csv&'],
    ['is_open', '/v2/datasets/trading-calendar?'],
    ['latest', '/v1/earnings?symbol=2330&'],
  ])('the service accepts %s in the spellings of other languages (True, 1, yes), and refuses any other text', async (name, url) => {
    const key = s.keyOn('max')
    const bodyOf = async (value: string) =>
      (await s.get(`${url}${name}=${value}`, key)).body.replaceAll(/req_\w{26}|"counted_at":"[^"]*"/g, '')
    for (const [value, others] of Object.entries({ true: ['True', 'TRUE', '1', 'yes'], false: ['False', '0', 'no'] }))
      for (const other of others) expect.soft(await bodyOf(other), `${name}=${other}`).toBe(await bodyOf(value))
    expect(await fault(`${url}${name}=maybe`)).toMatchObject([{ type: 'bool', msg: `${name} must be true or false` }])
  })
})

it('the service suggests no parameter name that differs in more than half of its letters', async () => {
  expect((await fault('/v2/datasets/theme-taxonomy?foo=1'))[0].msg).not.toContain('did you mean')
  expect((await fault('/v2/datasets/theme-taxonomy?bon=1'))[0].msg).toContain('did you mean bom?')
})
