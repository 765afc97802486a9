import { readFile, writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Row } from '../../catalog/index.ts'
import { releasePaths, sha256OfText } from '../../src/releases/index.ts'
import { quarter, quarterly } from '../fixtures/fields/quarterly.ts'
import { publishRows } from '../support.ts'

let q: Awaited<ReturnType<typeof quarterly>>
beforeEach(async () => {
  q = await quarterly()
})
afterEach(() => q.s.close())

const setDay = (day: string): void => q.setDay(day)
const publish: typeof q.publish = (day, ...rows) => q.publish(day, ...rows)
const eps: typeof q.eps = (...args) => q.eps(...args)

describe('announced figures', () => {
  it('a late restatement of an old quarter hides neither the figure of a newer quarter nor the original figure as of earlier days', async () => {
    const first = await publish('2026-05-20', quarter('2025-Q4', 4, '2026-02-26'), quarter('2026-Q1', 1, '2026-05-14'))
    const restated = await publish('2026-06-20', quarter('2025-Q4', 3.5, '2026-06-18'))
    expect(await eps('2026-06-20')).toEqual(['2026-Q1', 1, '2026-05-14', restated])
    expect(await eps('2026-05-14')).toEqual(['2026-Q1', 1, '2026-05-14', first])
    expect(await eps('2026-05-13')).toEqual(['2025-Q4', 4, '2026-02-26', first])
    expect(await eps('2026-02-26')).toEqual(['2025-Q4', 4, '2026-02-26', first])
  })

  it('a correction with the same announcement day does not change answers as of earlier days', async () => {
    const first = await publish('2026-05-20', quarter('2026-Q1', 100, '2026-05-14'))
    const revised = await publish('2026-06-20', quarter('2026-Q1', 1, '2026-05-14'))
    for (const day of ['2026-05-14', '2026-05-20', '2026-06-19']) expect(await eps(day)).toEqual(['2026-Q1', 100, '2026-05-14', first])
    expect(await eps('2026-06-20')).toEqual(['2026-Q1', 1, '2026-05-14', revised])
  })

  it('if as_of_date is before the end of a period, a field query returns no figure of the period', async () => {
    await publish('2026-06-01', quarter('2026-Q1', 1, '2026-05-14'))
    expect(await eps('2026-01-05')).toBe('not_announced')
    expect(await eps('1999-01-05')).toBe('not_announced')
  })

  it('a figure that was loaded after its announcement keeps its original value as of days before a revision', async () => {
    const loaded = await publish('2026-06-05', quarter('2020-Q1', 1, '2020-05-14'), quarter('2020-Q2', 2, '2020-08-13'))
    await publish('2026-06-06', quarter('2020-Q2', 2.5, '2021-01-05'))
    expect(await eps('2020-06-01')).toEqual(['2020-Q1', 1, expect.anything(), expect.anything()])
    expect(await eps('2020-09-01')).toEqual(['2020-Q2', 2, '2020-08-13', loaded])
    expect(await eps('2021-01-05')).toEqual(['2020-Q2', 2.5, expect.anything(), expect.anything()])
  })

  it('a query of a replaced figure fails if the release with the former figure is damaged', async () => {
    const first = await publish('2026-05-20', quarter('2026-Q1', 1, '2026-05-14'), quarter('2026-Q1', 9, '2026-05-14', '2317'))
    await publish('2026-06-05', quarter('2026-Q1', 1.1, '2026-06-04'))
    await writeFile(releasePaths(q.s.workspace.releases, 'earnings').manifest(first), '{}')
    expect(await eps('2026-06-03')).toBe('data_unavailable')
    expect(await eps('2026-06-05')).toEqual(['2026-Q1', 1.1, '2026-06-04', expect.anything()])
    expect(await eps('2026-06-05', 'earnings.eps', '2317')).toEqual(['2026-Q1', 9, '2026-05-14', expect.anything()])
  })

  it('a figure from sample rows is absent after real rows replace the samples, also as of earlier days', async () => {
    setDay('2026-05-20')
    await q.s.publish('earnings', [quarter('2026-Q1', 1, '2026-05-14')], { synthetic: true })
    await publish('2026-06-05', quarter('2026-Q1', 1.1, '2026-06-04'))
    expect(await eps('2026-06-03')).toBe('not_announced')
  })

  it('a correction with a later announcement day does not change answers as of earlier days', async () => {
    const first = await publish('2026-03-25', quarter('2025-Q4', 15, null))
    await publish('2026-07-01', quarter('2025-Q4', 99, '2026-03-20'))
    expect(await eps('2026-05-01')).toEqual(['2025-Q4', 15, null, first])
    expect(await eps('2026-03-25')).toEqual(['2025-Q4', 15, null, first])
  })

  it('an older figure that is loaded after newer figures does not change answers as of earlier days', async () => {
    const first = await publish('2026-05-01', quarter('2025-Q4', 4, '2026-02-26'))
    await publish('2026-06-20', quarter('2026-Q1', 1, '2026-04-28'))
    expect(await eps('2026-05-02')).toEqual(['2025-Q4', 4, '2026-02-26', first])
    expect(await eps('2026-04-30')).toEqual(['2026-Q1', 1, '2026-04-28', expect.anything()])
  })

  it('if a correction has a future announcement day, the figure keeps its former value until that day', async () => {
    const first = await publish('2026-05-20', quarter('2025-Q4', 4, '2026-02-26'), quarter('2026-Q1', 1, '2026-05-14'))
    const early = await publish('2026-06-05', quarter('2026-Q1', 2, '2026-06-10'))
    setDay('2026-06-10')
    expect(await eps('2026-06-06')).toEqual(['2026-Q1', 1, '2026-05-14', first])
    expect(await eps('2026-06-10')).toEqual(['2026-Q1', 2, '2026-06-10', early])
  })

  it('annual and quarterly figures are separate fields', async () => {
    const year = { ...quarter('2025-Q4', 14, '2026-02-26'), fiscal_period: '2025', report_type: 'annual' }
    const release = await publish('2026-06-01', quarter('2026-Q1', 1, '2026-05-14'), quarter('2025-Q4', 4, '2026-02-26'), year)
    expect(await eps('2026-06-01', 'annual_earnings.eps')).toEqual(['2025', 14, '2026-02-26', release])
    expect(await eps('2026-06-01')).toEqual(['2026-Q1', 1, '2026-05-14', release])
  })

  it('figures of different companies are independent', async () => {
    await publish('2026-06-01', quarter('2026-Q1', 1, '2026-05-14'), quarter('2026-Q1', 9, '2026-05-10', '2317'))
    await publish('2026-06-10', quarter('2026-Q1', 2, '2026-06-09'))
    expect(await eps('2026-05-12', 'earnings.eps', '2317')).toEqual(['2026-Q1', 9, expect.anything(), expect.anything()])
    expect(await eps('2026-05-12')).toBe('not_announced')
    expect(await eps('2026-05-14')).toEqual(['2026-Q1', 1, expect.anything(), expect.anything()])
  })
})

describe('figures without an announcement day', () => {
  it('a figure without an announcement day comes from the release that was current on as_of_date', async () => {
    const first = await publish('2026-05-20', quarter('2026-Q1', 1, null))
    const second = await publish('2026-05-25', quarter('2026-Q1', 1, null, '2317'))
    await publish('2026-06-20', quarter('2026-Q1', 1, null, '2412'))
    expect(await eps('2026-06-19')).toEqual(['2026-Q1', 1, null, second])
    expect(await eps('2026-05-24')).toEqual(['2026-Q1', 1, null, first])
    expect(await eps('2026-05-24', 'earnings.eps', '2317')).toBe('announcement_date_unknown')
  })

  it('a figure without an announcement day does not hide a newer announced quarter', async () => {
    const release = await publish('2026-06-20', quarter('2025-Q4', 4, null), quarter('2026-Q1', 1, '2026-05-14'))
    expect(await eps('2026-05-14')).toEqual(['2026-Q1', 1, '2026-05-14', release])
    expect(await eps('2026-05-13')).toBe('announcement_date_unknown')
  })
})

describe('unserved releases', () => {
  it('a figure of a release that was never served is absent', async () => {
    const { current } = releasePaths(q.s.workspace.releases, 'earnings')
    const served = await publish('2026-05-20', quarter('2026-Q1', 1, null))
    const stray = await publish('2026-05-25', quarter('2026-Q1', 777, '2026-05-24'))
    await writeFile(current, `${served}\n`)
    await q.s.releases.refresh()
    const next = await publish('2026-06-10', quarter('2026-Q1', 1.5, null))
    expect(stray < next).toBe(true)
    expect(await eps('2026-05-30')).toEqual(['2026-Q1', 1, null, served])
    expect(await eps('2026-05-19')).toBe('announcement_date_unknown')
  })
})

describe('former schemas', () => {
  const columns = () => q.s.dataset('earnings').columns
  const without = (name: string) => Object.fromEntries(Object.entries(columns()).filter(([column]) => column !== name))
  const lean = ({ eps_surprise_pct, ...row }: Row): Row => row

  it('a former release without a nullable column is still read', async () => {
    const first = await q.publishFormer('2026-05-20', without('eps_surprise_pct'), lean(quarter('2026-Q1', 1, '2026-05-14')))
    await publish('2026-06-10', quarter('2026-Q1', 1.1, '2026-06-04'))
    expect(await eps('2026-06-01')).toEqual(['2026-Q1', 1, '2026-05-14', first])
    expect(await eps('2026-05-14')).toEqual(['2026-Q1', 1, '2026-05-14', first])
    expect(await eps('2026-06-01', 'earnings.eps_surprise_pct')).toBe('no_value')
  })

  it('a query fails if the column has another type in the former release', async () => {
    const old = quarter('2025-Q4', 4, '2026-02-26')
    await publish('2026-05-01', old)
    const text = { ...columns(), eps: { ...columns()['eps']!, type: 'text' as const } }
    const { s } = q
    setDay('2026-05-20')
    const former = { ...s.dataset('earnings'), columns: text }
    const rows = [old, quarter('2026-Q1', 1, '2026-05-14')].map(row => ({ ...row, eps: String(row['eps']) }))
    expect((await publishRows(s.workspace, s.dir, former, rows, { accept: ['schema_change'] })).status).toBe('published')
    setDay('2026-06-10')
    await s.publish('earnings', [old, quarter('2026-Q1', 1.1, '2026-06-04')], { accept: ['schema_change'] })
    expect(await eps('2026-06-01')).toBe('data_unavailable')
    expect(await eps('2026-06-10')).toEqual(['2026-Q1', 1.1, '2026-06-04', expect.anything()])
  })
})

it('a field query is refused without a charge if its figure is in more parts than one query may read', async () => {
  const paths = releasePaths(q.s.workspace.releases, 'earnings')
  const first = await publish('2026-05-20', quarter('2026-Q1', 1, '2026-05-14'))
  await publish('2026-06-10', quarter('2026-Q1', 1.1, '2026-06-04'))
  const manifest = JSON.parse(await readFile(paths.manifest(first), 'utf8'))
  const [part] = manifest.parts
  const parts = Array.from({ length: 513 }, (_, index) => ({ ...part, sha256: String(index).padStart(64, '0') }))
  const text = JSON.stringify({ ...manifest, parts })
  await writeFile(paths.manifest(first), text)
  await writeFile(paths.seal(first), sha256OfText(text))
  const ask = (asOf: string) =>
    q.s.get(`/v2/query?entity_type=company&entity_id=2330&fields=earnings.eps&as_of_date=${asOf}`, q.s.keyOn('pro'))
  const response = await ask('2026-05-14')
  expect([response.statusCode, response.json().error.error_code]).toEqual([503, 'overloaded'])
  expect(response.json().error.error_message).toContain('fewer entities')
  expect(response.headers['x-credits-charged'] ?? '0').toBe('0')
  expect((await ask('2026-06-10')).headers['x-credits-remaining']).toBe(String(Number(response.headers['x-credits-remaining']) - 1))
})
