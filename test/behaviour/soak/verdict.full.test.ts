import { expect, it } from 'vitest'
import { growthOf } from './growth.ts'
import { type Happened, type Observed, reportOf, reportText, type Span } from './report.ts'
import type { Sample } from './sampling.ts'
import { BOUNDS } from './verdict.ts'

const MIB = 2 ** 20
const MINUTE = 60_000

/** Samples of six lives of ten minutes each. A sample every ten seconds has the given RSS. */
const samplesOf = (rss: (age: number, time: number) => number): readonly Sample[] =>
  Array.from({ length: 360 }, (_, index) => {
    const time = (index + 1) * 10_000
    const age = time % (10 * MINUTE) || 10 * MINUTE
    const steady = {
      heap: 80 * MIB,
      external: 0,
      descriptors: 40,
      threads: 12,
      publisherRss: 200 * MIB,
      disk: 50 * MIB,
      state: MIB,
      wal: MIB,
    }
    return { at: time, life: Math.ceil(time / (10 * MINUTE)), age, rss: rss(age, time), ...steady, lateMs: 3 }
  })

const flat = (age: number): number => (age < MINUTE ? 200 + age / 600 : 300 + (age % 70_000) / 7_000) * MIB
/** The samples of the same hour, with some other values in every sample. */
const withAll = (other: Partial<Sample>): Partial<Observed> => ({ samples: samplesOf(flat).map(sample => ({ ...sample, ...other })) })
const isFlat = (rss: (age: number, time: number) => number): boolean | null => growthOf(samplesOf(rss), 'rss', 2 * MINUTE).isFlat

it('growthOf ignores warm-up and fluctuation', () => expect(isFlat(flat)).toBe(true))
it('growthOf detects a leak within one run of the service', () => expect(isFlat(age => flat(age) + age * 120)).toBe(false))
it('growthOf detects growth from one run of the service to the next', () => expect(isFlat((age, at) => flat(age) + at * 35)).toBe(false))
it('growthOf returns null for too few samples', () => expect(growthOf(samplesOf(flat).slice(0, 30), 'rss', 2 * MINUTE).isFlat).toBe(null))

const span: Span = { from: 0, requests: 10, cut: 1, shed: 0, unsent: 0, faults: {}, p50: 1, p99: 2, last: null, lateMs: null }
const happened: Happened = {
  ...{
    publications: 5,
    slowestPublication: 1,
    compactions: 1,
    letGo: 1,
    stops: 1,
    kills: 1,
    badExits: [],
    messages: 5,
    unannounced: [],
    keys: 5,
  },
  failures: [],
  undone: [],
}
const observed: Observed = {
  minutes: 60,
  spans: [span],
  samples: samplesOf(flat),
  failedSamples: 0,
  happened,
  warmUpMs: 2 * MINUTE,
  kinds: { search: { answered: 20, p50: 1, p99: 2 }, page: { answered: 1, p50: 1, p99: 2 } },
  due: { publications: 5, requests: { search: 20, page: 19 } },
  balance: { answers: 9, credits: 9, missing: 0, unseen: 1, sumsAgree: true, intact: true },
}
const complaints = (change: Partial<Observed>, mostDisk = 100 * MIB): readonly string[] =>
  reportOf({ ...observed, ...change }, { ...BOUNDS, mostDisk }).complaints

it('the soak verdict has no complaints when every check passes', () => {
  expect(complaints({})).toEqual([])
  expect(reportText(reportOf(observed, BOUNDS))).toContain('All is well.')
})
it.each<readonly [string, Partial<Observed>, string]>([
  ['a wrong answer', { spans: [{ ...span, faults: { 'export: wrong: other rows': 2 } }] }, '2 × export: wrong: other rows'],
  [
    'an answer that is not in the ledger',
    { balance: { ...observed.balance, missing: 1 } },
    '1 answers are not in the ledger at their stated price',
  ],
  [
    'more entries than answers and requests that were cut',
    { balance: { ...observed.balance, unseen: 2 } },
    '2 entries of the ledger have no answer, and only 1 were cut',
  ],
  ['sums that disagree', { balance: { ...observed.balance, sumsAgree: false } }, 'the sums of the ledger disagree'],
  ['a damaged state file', { balance: { ...observed.balance, intact: false } }, 'the state file is damaged'],
  ['a stop that failed', { happened: { ...happened, badExits: [1] } }, 'stops that ended with 1'],
  ['a publication without a webhook message', { happened: { ...happened, unannounced: ['R'] } }, 'the webhook did not receive R'],
  ['an error in the log', { happened: { ...happened, failures: [['during x', 2]] } }, '2 × logged: during x'],
  [
    'too many requests refused as overloaded',
    { spans: [{ ...span, shed: 1 }] },
    '10.0 % of the requests were refused as overloaded: too many for this machine at the moment',
  ],
  [
    'requests that were due and not sent',
    { spans: [{ ...span, unsent: 10 }] },
    '50.0 % of the requests were not sent: too many were under way',
  ],
  ['a run without requests', { kinds: {} }, 'no request was answered'],
  ['a kind of request without an answer', { kinds: { page: observed.kinds['page']! } }, 'no request was answered of the kind: search'],
  ['too few publications', { happened: { ...happened, publications: 4 } }, '4 publications of 5 that were due'],
  ['a run without samples', { samples: [] }, '0 samples after warm-up, and fewer than 24 do not show growth'],
  [
    'samples that all belong to the warm-up',
    { samples: samplesOf(flat).map(sample => ({ ...sample, age: MINUTE })) },
    '0 samples after warm-up, and fewer than 24 do not show growth',
  ],
  ['a sample that failed', { failedSamples: 1 }, '1 samples that were due were not had'],
  ['flat memory above its limit', withAll({ rss: 4_096 * MIB }), 'the service had 4096 MiB of RSS, more than 1000'],
  ['memory of the publisher above its limit', withAll({ publisherRss: 1_001 * MIB }), 'what publishes had 1001 MiB of RSS, more than 1000'],
  [
    'memory outside the heap above its limit',
    withAll({ external: 257 * MIB }),
    'the service had 257 MiB outside the heap of JavaScript, more than 256',
  ],
  ['a write-ahead log above its limit', withAll({ wal: 257 * MIB }), 'the log of the state file had 257 MiB, more than 256'],
  [
    'growth outside the heap',
    { samples: samplesOf(flat).map(sample => ({ ...sample, external: (20 + sample.age / 5_000) * MIB })) },
    'external grows: 104.3 % over a life, 0.0 % from the middle third to the last',
  ],
  ['a step that was not served', { happened: { ...happened, undone: ['step 3 was not served'] } }, 'step 3 was not served'],
])('the soak verdict reports %s', (_, change, complaint) => expect(complaints(change)).toEqual([complaint]))
it('the soak verdict ignores rare kinds of requests and a late event loop', () => {
  expect(complaints({ kinds: { search: observed.kinds['search']! } })).toEqual([])
  expect(complaints(withAll({ lateMs: 60_000 }))).toEqual([])
})
it('the soak report recommends --restart 0 when runs of the service were too short to judge growth', () => {
  const recommendation = /No life of the service was longer than 10 minutes.*Use `--restart 0`/
  expect(reportText(reportOf(observed, BOUNDS))).toMatch(recommendation)
  expect(reportText(reportOf({ ...observed, happened: { ...happened, stops: 0, kills: 0 } }, BOUNDS))).not.toMatch(recommendation)
})
it('the soak verdict reports a data folder above its maximum size', () =>
  expect(complaints({}, 40 * MIB)).toEqual(['the data folder had 50 MiB, more than 40']))
