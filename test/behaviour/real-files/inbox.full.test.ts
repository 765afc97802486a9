import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { loadFeeds } from '../../../ingest/feeds/index.ts'
import { ingest } from '../../fixtures/ingest/bodies.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { inboxOf } from '../../ingest/inbox/inbox.ts'
import { service, type TestService } from '../../support.ts'
import { COUNTS } from './counts.ts'
import { real, realFilesThere } from './files.ts'

const feeds = await loadFeeds()

const FILES: typeof COUNTS = [
  ...COUNTS,
  ['risk-archive', 'risk/stock_warnings_2026-04_2026-05.csv', undefined, { 'company-risk-events': 215 }],
  ['government-bonds', 'bond/twgovbondlist_daily_2021_2024.csv.gz', undefined, { 'bond-yield-curve': 814 * 5 }],
  ['government-bonds', 'bond/ebts_outright.json', undefined, { 'bond-yield-curve': 264 }],
]

/** Files whose rows are not served, or are already served from another file, with the reason. */
const NOT_SERVED: Readonly<Record<string, string>> = {
  't86/t86_tpex_only.csv': 'five days that are one body under five dates',
  'earnings/mops_t163sb04_2023Q1.csv': 'the two pages of the quarter once more',
  'mops/isin-query.html': 'one line of the list of 2026, which takes its place',
}

/** Bodies that contain no rows to publish, with their outcome. */
const OTHERS: readonly (readonly [feed: string, path: string, asked: string | undefined, outcome: string])[] = [
  ['twse-etf-splits', 'twse/twse-stocks-etf-splits.json', undefined, 'empty'],
  ['tpex-etf-splits', 'tpex/tpex-stocks-etf-splits.json', undefined, 'empty'],
  ['tpex-etf-reverse-splits', 'tpex/tpex-stocks-etf-reverse-splits.json', undefined, 'empty'],
  ['twse-t86', 'empty/twse-stocks-institutional-no-data.json', undefined, 'empty'],
  ['twse-quotes', 'empty/twse-stocks-historical-no-data.json', undefined, 'empty'],
  ['tpex-quotes', 'empty/tpex-stocks-historical-no-data.json', undefined, 'empty'],
  ['mops-eps', 'empty/mops-twse-stocks-eps-no-data.html', undefined, 'empty'],
  ['twse-t86', 't86/raw/WRONG_DATE_foreign_20251028.json', '2025-10-28', 'wrong_day'],
  ['tpex-institutional', 't86/raw/tpex_20260512.json', '2026-05-12', 'asked_too_early'],
]

const drop = (s: TestService, place: string, content: Uint8Array | string): void => {
  const path = join(s.dir, 'inbox', place)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

/**
 * Imports all files in one run.
 *
 * @returns the outcome by folder and path; for a refusal, the broken rule
 */
async function takeAll(s: TestService): Promise<Readonly<Record<string, string>>> {
  const events = await inboxOf(s).once()
  expect(events.filter(({ kind }) => kind !== 'taken')).toEqual([])
  return Object.fromEntries(
    events.flatMap(event =>
      event.kind === 'taken' ? event.files.map(({ file, outcome, rule }) => [`${event.place}/${file}`, rule ?? outcome]) : [],
    ),
  )
}

/**
 * The path at which a body is dropped: its name, in a folder named by the day for which it was
 * fetched.
 */
const rawName = (feed: string, path: string, requestedDay: string | undefined): string =>
  ['feeds', feed, ...(requestedDay ? [requestedDay] : []), basename(path)].join('/')
const rowsName = (slug: string, feed: string, path: string): string => `${slug}/${feed}-${basename(path)}.ndjson`

/**
 * Lists that are refused as first lists of a feed, because they have fewer rows than a complete
 * one. As rows of a dataset, they are not checked for this.
 */
const TOO_SHORT = ['mops/isin-query.html', 'broker/t187ap18_sample_transcribed.json']

const expected = (path: string): string | RegExp => {
  if (path === 't86/t86_tpex_only.csv') return 'same_body'
  // If several files have the same rows, only the first one adds rows.
  return /eps\.html|2023Q1/.test(path) ? /published|unchanged/ : 'published'
}

const matching = (outcome: string | RegExp) => expect.stringMatching(outcome)

describe.skipIf(!realFilesThere)('real files in the inbox', () => {
  let raw: TestService
  let converted: TestService
  let outcomes: Record<'raw' | 'converted', Readonly<Record<string, string>>>
  beforeAll(async () => {
    const now = () => new Date('2026-11-20T12:00:00Z')
    raw = await service({ examples: false, now })
    converted = await service({ examples: false, now })
    for (const [feed, path, requestedDay] of [...FILES, ...OTHERS]) drop(raw, rawName(feed, path, requestedDay), readFileSync(real(path)))
    for (const [feed, path, requestedDay, counts] of FILES) {
      const bytes = readFileSync(real(path))
      const parsed = feeds.get(feed)!.parse({ name: path, bytes: path.endsWith('.gz') ? gunzipSync(bytes) : bytes }, requestedDay)
      const lists = Object.entries(parsed.kind === 'rows' ? parsed.rows : {}).filter(([, rows]) => rows.length > 0)
      expect([path, Object.fromEntries(lists.map(([slug, rows]) => [slug, rows.length]))]).toEqual([path, counts])
      const linesOf = (rows: readonly Row[]): string => rows.map(row => `${JSON.stringify(row)}\n`).join('')
      for (const [slug, rows] of lists) drop(converted, rowsName(slug, feed, path), linesOf(rows))
    }
    outcomes = { raw: await takeAll(raw), converted: await takeAll(converted) }
    await ingest(raw, 'securities-firms', [real('broker', 't187ap18_sample_transcribed.json')], { accept: ['row_count_drift'] })
  }, 240_000)
  afterAll(async () => {
    await raw.close()
    await converted.close()
  })

  it('the inbox accepts all real files in the form of the exchanges and refuses only the wrong files', () => {
    const due = [
      ...FILES.map(
        ([feed, path, requestedDay]) =>
          [rawName(feed, path, requestedDay), TOO_SHORT.includes(path) ? 'row_count_drift' : matching(expected(path))] as const,
      ),
      ...OTHERS.map(([feed, path, requestedDay, outcome]) => [rawName(feed, path, requestedDay), outcome] as const),
    ]
    expect(outcomes.raw).toEqual(Object.fromEntries(due))
  })

  it('the inbox accepts all real files converted to dataset files and refuses only the wrong file', () => {
    const due = FILES.flatMap(([feed, path, , counts]) =>
      Object.keys(counts).map(slug => [rowsName(slug, feed, path), matching(expected(path))] as const),
    )
    expect(outcomes.converted).toEqual(Object.fromEntries(due))
  })

  it('the inbox is empty afterwards and the quarantine contains only the refused files', () => {
    const quarantined = (s: TestService): readonly string[] =>
      inboxOf(s)
        .files('quarantine')
        .map(path => basename(path))
        .filter(name => name !== 'report.json')
        .sort()
    expect([inboxOf(raw).files('inbox'), inboxOf(converted).files('inbox')]).toEqual([[], []])
    expect(quarantined(raw)).toEqual([
      'WRONG_DATE_foreign_20251028.json',
      'isin-query.html',
      't187ap18_sample_transcribed.json',
      't86_tpex_only.csv',
      'tpex_20260512.json',
    ])
    expect(quarantined(converted)).toEqual(['tpex-institutional-t86_tpex_only.csv.ndjson'])
  })

  it('real files give the same rows and derived rows in the form of the exchanges and as dataset files', async () => {
    const due = new Map<string, number>()
    for (const [, path, , counts] of FILES)
      if (!(path in NOT_SERVED)) for (const [slug, rows] of Object.entries(counts)) due.set(slug, (due.get(slug) ?? 0) + rows)
    for (const slug of ['earnings', 'company-earnings']) due.set(slug, due.get('income-statements')!)
    due.set('adjusted-prices', due.get('daily-prices')!)
    // Six par value changes are before the only day of quotes, so only they have adjustment
    // factors. All other events are later.
    due.set('adjustment-factors', 6)
    const compared = new Map<string, readonly number[]>()
    for (const slug of raw.catalog.keys()) {
      const [fromRaw, fromConverted] = [raw, converted].map(s => rowsOf(s, slug))
      if (fromRaw === null && fromConverted === null) continue
      const [found] = await raw.workspace.session.rows(
        `SELECT (SELECT count(*) FROM ${fromRaw})::INT AS as_are, (SELECT count(*) FROM ${fromConverted})::INT AS as_rows,
          (SELECT count(*) FROM (FROM ${fromRaw} EXCEPT ALL FROM ${fromConverted}))::INT AS only_as, (SELECT count(*) FROM (FROM ${fromConverted} EXCEPT ALL FROM ${fromRaw}))::INT AS only_to`,
      )
      compared.set(slug, Object.values(found!).map(Number))
      // The number of computed rows is not known here. Tests of the SQL statement check it.
      if (raw.dataset(slug).from) due.set(slug, Math.max(1, Number(found!['as_are'])))
    }
    expect(Object.fromEntries(compared)).toEqual(Object.fromEntries([...due].map(([slug, rows]) => [slug, [rows, rows, 0, 0]])))
  })

  it('the API gives the same answers for real files in the form of the exchanges and as dataset files', async () => {
    const slugs = ['institutional-positioning', 'daily-prices', 'margin-trading', 'monthly-revenue', 'securities', 'valuation']
    for (const slug of slugs) {
      const read = async (s: TestService): Promise<readonly Row[]> => {
        const body = (await s.get(`/v2/datasets/${slug}?symbol=2330&limit=100`, s.keyOn('max'))).json()
        return body.data ?? body.envelope?.data
      }
      const rows = await read(raw)
      expect([slug, rows?.length > 0, rows]).toEqual([slug, true, await read(converted)])
    }
  })
})

/** SQL of a dataset's served rows. Null if no release is served. */
function rowsOf(s: TestService, slug: string): string | null {
  if (s.releases.served(s.dataset(slug)) === null) return null
  const files = stored(s.workspace.releases, slug).files.map(file => `'${file}'`)
  return `(FROM read_parquet([${files.join()}]))`
}
