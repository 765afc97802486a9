import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, expect, it } from 'vitest'
import { service } from '../../support.ts'
import { cell } from '../cells.ts'

/** Origin of OpenBB Workspace, which sends the key in a header of the connection. */
const WORKSPACE = 'https://pro.openbb.co'
const s = await service({ corsOrigins: WORKSPACE })
const key = s.keyOn('max')
const headers = { origin: WORKSPACE }
const widgets = (await s.get('/widgets.json', undefined, headers)).json() as Readonly<Record<string, Widget>>
const apps = (await s.get('/apps.json', undefined, headers)).json() as readonly App[]
afterAll(() => s.close())

interface Nested {
  readonly [name: string]: unknown
}

interface Control {
  readonly paramName: string
  readonly value: string | number | null
  readonly type: string
  readonly optionsEndpoint?: string
}

interface Option {
  readonly label: string
  readonly value: string
}

interface Widget {
  readonly endpoint: string
  readonly params: readonly Control[]
  readonly data: {
    readonly dataKey: string
    readonly table: {
      readonly columnsDefs: readonly { readonly field: string; readonly formatterFn?: string }[]
      readonly chartView?: { readonly cellRangeCols: Readonly<Record<string, readonly string[]>> }
    }
  }
}

interface App {
  readonly tabs: Readonly<Record<string, { readonly layout: readonly Placed[] }>>
  readonly groups: readonly {
    readonly name: string
    readonly paramName: string
    readonly defaultValue: string
    readonly widgetIds: string[]
  }[]
}

interface Placed {
  readonly i: string
  readonly x: number
  readonly y: number
  readonly w: number
  readonly h: number
  readonly groups: readonly string[]
}

/**
 * JSON Schemas of both files according to the workspace's reference: required keys, enumerated
 * values, limits of the grid.
 */
const strings = { type: 'array', items: { type: 'string' } }
const WIDGETS = {
  type: 'object',
  minProperties: 1,
  propertyNames: { pattern: '^[a-z0-9_]+$' },
  additionalProperties: {
    type: 'object',
    required: ['name', 'description', 'endpoint'],
    properties: {
      name: { type: 'string', minLength: 1 },
      description: { type: 'string', minLength: 1 },
      endpoint: { type: 'string', pattern: '^[^/]' },
      category: { type: 'string' },
      subCategory: { type: 'string' },
      type: { enum: ['chart', 'table', 'table_ssrm', 'markdown', 'metric', 'note', 'newsfeed', 'advanced-chart'] },
      gridData: { type: 'object', properties: { w: { type: 'integer', minimum: 10, maximum: 40 }, h: { type: 'integer', maximum: 100 } } },
      source: strings,
      refetchInterval: { anyOf: [{ const: false }, { type: 'number', minimum: 1_000 }, { type: 'string' }] },
      staleTime: { type: 'number' },
      params: {
        type: 'array',
        items: {
          type: 'object',
          required: ['paramName', 'type', 'value', 'label', 'show'],
          properties: {
            type: { enum: ['date', 'text', 'ticker', 'number', 'boolean', 'endpoint', 'form', 'tabs'] },
            value: { type: ['string', 'number', 'boolean', 'null'] },
            options: { type: 'array', items: { type: 'object', required: ['label', 'value'] } },
            optionsEndpoint: { type: 'string', pattern: '^/' },
          },
          if: { properties: { type: { const: 'endpoint' } } },
          // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
          then: { required: ['optionsEndpoint'] },
        },
      },
      data: {
        type: 'object',
        required: ['dataKey', 'table'],
        properties: {
          table: {
            type: 'object',
            properties: {
              chartView: {
                type: 'object',
                properties: { enabled: { type: 'boolean' }, chartType: { enum: ['line', 'column', 'bar', 'area'] } },
              },
              columnsDefs: {
                type: 'array',
                minItems: 1,
                items: {
                  type: 'object',
                  required: ['field', 'headerName'],
                  properties: {
                    cellDataType: { enum: ['text', 'number', 'boolean', 'date', 'dateString', 'object'] },
                    chartDataType: { enum: ['category', 'series', 'time', 'excluded'] },
                    formatterFn: { enum: ['int', 'none', 'percent', 'normalized', 'normalizedPercent', 'dateToYear'] },
                    pinned: { enum: ['left', 'right'] },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
}
const APPS = {
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    required: ['name', 'description', 'img', 'allowCustomization', 'tabs', 'groups'],
    properties: {
      tabs: {
        type: 'object',
        minProperties: 1,
        additionalProperties: {
          type: 'object',
          required: ['id', 'name', 'layout'],
          properties: { layout: { type: 'array', items: { type: 'object', required: ['i', 'x', 'y', 'w', 'h'] } } },
        },
      },
      groups: {
        type: 'array',
        items: {
          type: 'object',
          required: ['name', 'type', 'paramName', 'widgetIds', 'defaultValue'],
          // Groups with different names do not synchronize.
          properties: { name: { type: 'string', pattern: '^Group \\d+$' }, type: { enum: ['param', 'endpointParam'] }, widgetIds: strings },
        },
      },
      prompts: strings,
    },
  },
}

/** The answer of an options endpoint. */
const OPTIONS = {
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    required: ['label', 'value'],
    additionalProperties: false,
    properties: {
      label: { type: 'string', minLength: 1 },
      value: { type: 'string', minLength: 1 },
      extraInfo: {
        type: 'object',
        additionalProperties: false,
        properties: { description: { type: 'string' }, rightOfDescription: { type: 'string' } },
      },
    },
  },
}

const mistakes = (schema: object, body: unknown): unknown => {
  const validate = new Ajv2020({ allErrors: true, strict: false }).compile(schema)
  return validate(body) ? [] : validate.errors
}

it('widgets.json and apps.json match the schemas documented by OpenBB Workspace', () => {
  expect(mistakes(WIDGETS, widgets)).toEqual([])
  expect(mistakes(APPS, apps)).toEqual([])
})

it('widgets.json has a table for every dataset with a release, and none for other datasets', async () => {
  const sold = [...s.catalog.values()].filter(({ access }) => access).map(({ slug }) => slug.replaceAll('-', '_'))
  expect(
    Object.keys(widgets)
      .filter(id => !id.endsWith('_chart'))
      .toSorted(),
  ).toEqual(sold.toSorted())
  const bare = await service({ examples: false })
  expect((await bare.get('/widgets.json', undefined, headers)).json()).toEqual({})
  await bare.close()
  expect(Object.keys(widgets)).toEqual(expect.arrayContaining(['daily_prices_chart', 'institutional_positioning_chart', 'valuation_chart']))
})

it('widgets format columns in percent as percentages and whole numbers without decimals', () => {
  const formats = new Map<string, Set<string | undefined>>()
  for (const dataset of s.catalog.values())
    for (const { field, formatterFn } of widgets[dataset.slug.replaceAll('-', '_')]?.data.table.columnsDefs ?? []) {
      const { unit, type } = dataset.columns[field]!
      const kind = unit === 'percent' ? 'percent' : type === 'integer' ? 'integer' : 'other'
      formats.set(kind, (formats.get(kind) ?? new Set()).add(formatterFn))
    }
  expect(Object.fromEntries(formats)).toEqual({ percent: new Set(['percent']), integer: new Set(['int']), other: new Set([undefined]) })
})

it('every widget is answered with rows that contain the columns it declares', async () => {
  for (const [
    id,
    {
      endpoint,
      params,
      data,
      data: { table },
    },
  ] of Object.entries(widgets))
    await cell(id, async () => {
      const query = new URLSearchParams(params.flatMap(({ paramName, value }) => (value === null ? [] : [[paramName, String(value)]])))
      const answer = await s.get(`/${endpoint}?${query}`, key, headers)
      expect(answer.statusCode).toBe(200)
      expect(answer.headers['access-control-allow-origin']).toBe(WORKSPACE)
      const body: unknown = data.dataKey.split('.').reduce<Nested>((value, name) => value[name] as Nested, answer.json())
      const rows = body as readonly Nested[]
      expect(rows.length).toBeGreaterThan(0)
      const fields = table.columnsDefs.map(({ field }) => field)
      const charted = Object.values(table.chartView?.cellRangeCols ?? {}).flat()
      expect(Object.keys(rows[0]!)).toEqual(expect.arrayContaining([...fields, ...charted]))
      expect(fields).toEqual(expect.arrayContaining(charted))
      expect(charted.slice(1).filter(name => rows.every(row => typeof row[name] !== 'number'))).toEqual([])
    })
})

it('the company app groups every widget with a symbol parameter, and no two widgets overlap', () => {
  const [company, market] = apps as [App, App]
  const placed = Object.values(company.tabs).flatMap(({ layout }) => layout)
  const [group] = company.groups
  expect(group).toMatchObject({ paramName: 'symbol', defaultValue: '2330' })
  expect(group!.widgetIds.toSorted()).toEqual(placed.map(({ i }) => i).toSorted())
  expect(placed.filter(({ groups }) => !groups.includes(group!.name))).toEqual([])
  for (const id of group!.widgetIds) expect(widgets[id]!.params.map(({ paramName }) => paramName)).toContain('symbol')
  for (const { layout } of [...Object.values(company.tabs), ...Object.values(market.tabs)]) {
    const cells = layout.flatMap(({ x, y, w, h }) =>
      Array.from({ length: w }, (_, right) => Array.from({ length: h }, (_, down) => `${x + right} ${y + down}`)).flat(),
    )
    expect(new Set(cells).size).toBe(cells.length)
  }
  const everywhere = apps.flatMap(({ tabs }) => Object.values(tabs)).flatMap(({ layout }) => layout.map(({ i }) => i))
  expect(everywhere.toSorted()).toEqual(Object.keys(widgets).toSorted())
})

const completed = Object.values(widgets).flatMap(widget =>
  widget.params.filter(({ type }) => type === 'endpoint').map(control => ({ widget, control })),
)
const optionsOf = async ({ optionsEndpoint }: Control) => {
  const answer = await s.get(optionsEndpoint!, key, headers)
  expect([answer.statusCode, answer.headers['access-control-allow-origin']]).toEqual([200, WORKSPACE])
  return answer.json() as readonly Option[]
}

it('widgets offer tickers, indices, themes, brokers and branches from an options endpoint', async () => {
  const endpoints = new Set(completed.map(({ control }) => control.optionsEndpoint!))
  expect([...endpoints].toSorted()).toEqual(['branch', 'broker', 'index', 'symbol', 'theme'].map(type => `/openbb/options/${type}`))
  for (const { control } of completed) expect.soft(mistakes(OPTIONS, await optionsOf(control)), control.optionsEndpoint).toEqual([])
  const symbols = await optionsOf(completed.find(({ control }) => control.paramName === 'symbol')!.control)
  expect(symbols).toContainEqual({
    label: '2330 台積電',
    value: '2330',
    extraInfo: { description: expect.any(String), rightOfDescription: 'TWSE' },
  })
  expect(symbols.map(({ value }) => value)).toEqual([...new Set(symbols.map(({ value }) => value))].toSorted())
  expect(symbols.map(({ value }) => value)).not.toContain('10Y')
})

it('the read of a widget accepts every option of the widget', async () => {
  for (const { widget, control } of completed) {
    const [option] = await optionsOf(control)
    const others = widget.params.filter(({ paramName, value }) => value !== null && paramName !== control.paramName)
    const query = new URLSearchParams(others.map(({ paramName, value }) => [paramName, String(value)]))
    query.set(control.paramName, option!.value)
    expect.soft((await s.get(`/${widget.endpoint}?${query}`, key, headers)).statusCode, `${widget.endpoint} ${control.paramName}`).toBe(200)
  }
})

it('all widgets of the company app have the same options for symbol', () => {
  const [group] = apps[0]!.groups
  expect(group).toMatchObject({ type: 'endpointParam' })
  for (const id of group!.widgetIds)
    expect(
      widgets[id]!.params.find(({ paramName }) => paramName === 'symbol'),
      id,
    ).toMatchObject({
      type: 'endpoint',
      optionsEndpoint: '/openbb/options/symbol',
    })
})

it('the options endpoint is free, requires a key and refuses an unknown type', async () => {
  const usedCredits = async () => (await s.get('/v2/account/entitlements', key)).json().credits.used
  const before = await usedCredits()
  expect((await s.get('/openbb/options/symbol', key)).headers['x-credits-charged']).toBe('0')
  expect(await usedCredits()).toBe(before)
  expect((await s.get('/openbb/options/symbol')).statusCode).toBe(401)
  const unknown = await s.get('/openbb/options/field', key)
  expect([unknown.statusCode, unknown.json().error.allowed]).toEqual([404, ['symbol', 'index', 'theme', 'broker', 'branch']])
})

it('widgets.json and apps.json allow only the OpenBB origin, without credentials', async () => {
  for (const url of ['/widgets.json', '/apps.json']) {
    const [theirs, other] = [await s.get(url, undefined, headers), await s.get(url, undefined, { origin: 'https://evil.example' })]
    expect(theirs.headers['access-control-allow-origin']).toBe(WORKSPACE)
    expect(theirs.headers).not.toHaveProperty('access-control-allow-credentials')
    expect(other.headers).not.toHaveProperty('access-control-allow-origin')
  }
})

it('widgets.json and apps.json are empty without releases', async () => {
  const empty = await service({ examples: false })
  try {
    expect((await empty.get('/widgets.json')).json()).toEqual({})
    expect((await empty.get('/apps.json')).json()).toEqual([])
  } finally {
    await empty.close()
  }
})
