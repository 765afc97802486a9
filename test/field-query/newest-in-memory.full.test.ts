import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { FieldView, Row } from '../../catalog/index.ts'
import { trade, weekdays } from '../fixtures/publish/rows.ts'
import { service, type TestService } from '../support.ts'

const SLUG = 'institutional-positioning'
const DAYS = weekdays('2026-05-04', 33)
const TICKERS = ['1101', '2330', '2454', '2881A']
/** One ticker has no recent trades, and another ticker was listed on the last day. */
const isTraded = (ticker: string, day: string): boolean => (ticker === '1101' ? day < DAYS[25]! : ticker !== '2881A' || day === DAYS.at(-1))

const trades = (days: readonly string[]): readonly Row[] =>
  days.flatMap(day =>
    TICKERS.filter(ticker => isTraded(ticker, day)).map((ticker, index) => trade(ticker, day, DAYS.indexOf(day) - 9 * index)),
  )
const risks = (days: readonly string[]): readonly Row[] =>
  days.flatMap(event_date =>
    ['attention', 'disposition', 'suspension'].map(risk_type => ({
      symbol: '2330',
      event_date,
      risk_type,
      description: '連續三個營業日 "a", b',
      source_role: 'official',
      lineage: JSON.stringify({ authority: 'TWSE', day: event_date }),
    })),
  )

async function filled(cacheBytes: number, examples: boolean): Promise<TestService> {
  const s = await service({ examples, inMemory: false, indexed: false, cacheBytes })
  const publish = async (slug: string, rows: readonly Row[]): Promise<void> =>
    expect((await s.publish(slug, rows, { accept: ['row_count_drift', 'duplicate_body'] })).faults).toEqual([])
  await publish(SLUG, trades(DAYS.slice(0, -2)))
  await publish('company-risk-events', risks(DAYS.slice(0, 20)))
  for (const day of DAYS.slice(-2)) await publish(SLUG, trades([day]))
  return s
}

/** The newest value of every key, for every field view of its dataset. */
function facts(s: TestService): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>()
  for (const dataset of s.catalog.values()) {
    const release = s.releases.served(dataset)
    if (!release) continue
    const views: readonly FieldView[] = dataset.fields ?? []
    const keys = new Set([...Object.keys(release.spans.base), ...Object.keys(release.spans.delta)])
    for (const [index, view] of views.entries())
      for (const key of keys) found.set(`${dataset.slug} ${index} ${key}`, s.newest.factsOf(view, release, key))
  }
  return found
}

describe.each([
  ['whole parts', 2 ** 26, true],
  ['the newest rows of each key', 28_000, false],
])('%s in memory', (name, cacheBytes, examples) => {
  let s: TestService
  let fromDisk: ReadonlyMap<string, unknown>
  beforeAll(async () => {
    const other = await filled(0, examples)
    await other.columns.refresh()
    await other.newest.refresh()
    fromDisk = facts(other)
    await other.close()
    s = await filled(cacheBytes, examples)
  }, 60_000)
  afterAll(() => s.close())

  it(`newest field values from ${name} in memory equal the values read from the parts, and need no read of a part`, async () => {
    const [engineReads, hashed] = [vi.spyOn(s.pool, 'read'), vi.spyOn(s.releases, 'loadVerified')]
    await Promise.all([s.columns.refresh(), s.newest.refresh()])
    const { whole, newest, parts } = s.columns.state()
    expect(cacheBytes === 2 ** 26 ? whole : newest).toBe(parts)
    const { manifest, pathOf } = s.releases.served(s.dataset(SLUG))!
    expect(manifest.parts.map(({ role }) => role)).toEqual(['base', 'delta'])
    for (const part of manifest.parts) {
      expect(engineReads.mock.calls.filter(([{ text }]) => text.includes(pathOf(part)))).toHaveLength(1)
      expect(hashed.mock.calls.filter(([, [taken]]) => taken!.sha256 === part.sha256)).toHaveLength(1)
    }
    engineReads.mockRestore()
    hashed.mockRestore()
    expect(fromDisk.size).toBeGreaterThan(examples ? 20 : TICKERS.length)
    expect([...fromDisk.values()].filter(found => found === undefined)).toEqual([])
    expect(facts(s)).toEqual(fromDisk)
  })
})
