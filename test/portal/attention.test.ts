import { expect, it } from 'vitest'
import { concernsOf } from '../../portal/pages/operator/attention.ts'
import type { Sections, Snapshot } from '../../portal/pages/operator/sections.ts'

const QUEUE = { waiting: 0, attempts: 0, oldest_at: null, next_at: null, last_error: null }
const QUEUES: Sections['queues'] = {
  ledger: { owed: 0 },
  mail: { ...QUEUE, codes: 0, notices: 0, sent: 3, given_up: 0 },
  payment_events: QUEUE,
  webhooks: { ...QUEUE, endpoints: 0, failing: 0, disabled: 0 },
}
const SCRUB = { parts: 0, size_bytes: 0, parts_to_go: 0, laps: 0, last_lap_ended_at: null }
const NONE = { data_count: 0, data: [] }
const QUIET: Snapshot = {
  queues: QUEUES,
  damage: { ...NONE, scrub: SCRUB },
  quarantine: { ...NONE, kept: 0, settled: [] },
  inbox: { waiting: [], waiting_count: 0, left: [], taken: [], watching: false },
  feeds: NONE,
  releases: NONE,
  'slow-reads': NONE,
}

const DAILY_PRICES: Sections['releases']['data'][number] = {
  dataset: 'daily_prices',
  slug: 'daily-prices',
  title: 'Daily prices',
  title_zh: '每日股價',
  status: 'unavailable',
  served: null,
  named: null,
  published_at: null,
  data_as_of: null,
  rows: null,
  synthetic: null,
  kept: 1,
  pinned: 0,
  withdrawn: 0,
  retired: 0,
  damaged: 1,
}

const feed = (name: string, outcome: 'came' | 'late' | 'refused', tries: number): Sections['feeds']['data'][number] => ({
  feed: name,
  datasets: [],
  due: '18:00',
  due_zh: '18:00',
  next_at: null,
  covers: null,
  tries,
  history: 'all',
  history_days: null,
  at_risk: null,
  needs_consent: [],
  last_run: { at: '2026-07-01T18:00:00+08:00', outcome, said: '' },
})
const inEnglish = (snapshot: Snapshot) => concernsOf(snapshot).map(({ kind, words }) => `${kind}: ${words.en}`)

it('concernsOf returns nothing for a healthy or unread snapshot', () => {
  expect(inEnglish(QUIET)).toEqual([])
  expect(inEnglish(Object.fromEntries(Object.keys(QUIET).map(name => [name, null])) as Snapshot)).toEqual([])
})

it('concernsOf sorts concerns: broken, to decide, to watch', () => {
  const snapshot: Snapshot = {
    ...QUIET,
    feeds: { data_count: 3, data: [feed('twse-t86', 'late', 2), feed('tdcc', 'came', 0), feed('twse-income', 'refused', 1)] },
    quarantine: { ...NONE, kept: 2, settled: [] },
    damage: { data_count: 1, data: [{ dataset: 'daily_prices', slug: 'daily-prices', fallback: null, findings: [] }], scrub: SCRUB },
    releases: { data_count: 1, data: [DAILY_PRICES] },
  }
  expect(inEnglish(snapshot)).toEqual([
    'broken: Daily prices is damaged; reads are refused',
    'decide: 2 files refused, waiting for a decision',
    'decide: twse-income: refused, 1 time in a row',
    'watch: twse-t86: late, 2 times in a row',
  ])
})

it('concernsOf reports a queue after a failed attempt, but not before the first attempt', () => {
  const waiting = { waiting: 2, attempts: 0 }
  const queues = { ...QUEUES, mail: { ...QUEUES.mail, ...waiting, codes: 1 }, payment_events: { ...QUEUE, ...waiting } }
  expect(inEnglish({ ...QUIET, queues })).toEqual([])
  const failing = { ...queues, mail: { ...queues.mail, attempts: 3 }, payment_events: { ...QUEUE, ...waiting, attempts: 1 } }
  expect(inEnglish({ ...QUIET, queues: failing })).toEqual([
    'broken: Payment events fail; 2 waiting',
    'broken: Mail cannot be sent; 2 waiting, 1 of them sign-in codes',
  ])
  expect(inEnglish({ ...QUIET, queues: { ...QUEUES, ledger: { owed: 7 } } })).toEqual([
    'broken: 7 charged reads not in the ledger: the disk cannot be written',
  ])
})

it('concernsOf reports a mail that will not be tried again', () => {
  const queues = { ...QUEUES, mail: { ...QUEUES.mail, given_up: 1 } }
  expect(inEnglish({ ...QUIET, queues })).toEqual(['watch: Mails given up in the last day: 1'])
})

it('concernsOf reports waiting inbox files only when no process watches the inbox', () => {
  const inbox = { waiting: [], waiting_count: 1, left: [], taken: [], watching: true }
  expect(inEnglish({ ...QUIET, inbox })).toEqual([])
  expect(inEnglish({ ...QUIET, inbox: { ...inbox, watching: false } })).toEqual([
    'decide: 1 file in the inbox, but no process imports them',
  ])
})

it('concernsOf reports overdue datasets before pending decisions, and failing webhooks', () => {
  const standing = { title: 'Daily prices', title_zh: '每日股價', data_as_of: '2026-06-30' }
  const queues = { ...QUEUES, webhooks: { ...QUEUES.webhooks, endpoints: 3, failing: 1 } }
  const standings = [
    { ...standing, freshness_state: 'late' },
    { ...standing, freshness_state: 'fresh' },
  ] as const
  expect(concernsOf({ ...QUIET, queues }, standings).map(({ kind, words }) => `${kind}: ${words.en}`)).toEqual([
    'broken: Daily prices is overdue; its newest day is 2026-06-30',
    'decide: 1 of 3 webhook endpoints fail',
  ])
})

it('concernsOf reports days as possible losses if their source will soon delete them', () => {
  const atRisk = (days: number) => ({
    ...feed('tdcc-distribution', 'came', 0),
    at_risk: { day: '2026-06-26', days, lost_at: '2026-07-04T18:00:00.000+08:00' },
  })
  const concerns = (days: number) => inEnglish({ ...QUIET, feeds: { data_count: 1, data: [atRisk(days)] } })
  expect(concerns(1)).toEqual(['broken: tdcc-distribution: 2026-06-26 will be lost'])
  expect(concerns(3)).toEqual(['broken: tdcc-distribution: 2026-06-26 and 2 later days will be lost'])
})
