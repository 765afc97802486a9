import { describe, expect, it } from 'vitest'
import { growthOf } from './growth.ts'
import { type Happened, type Observed, reportOf, reportText, type Span } from './report.ts'
import type { Sample } from './sampling.ts'

const MIB = 2 ** 20
const MINUTE = 60_000

/** Six lives of ten minutes, a sample every ten seconds; RSS as given. */
const samplesOf = (rss: (age: number, at: number) => number): readonly Sample[] =>
  Array.from({ length: 360 }, (_, index) => {
    const at = (index + 1) * 10_000
    const age = at % (10 * MINUTE) || 10 * MINUTE
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
    return { at, life: Math.ceil(at / (10 * MINUTE)), age, rss: rss(age, at), ...steady, lateMs: 3 }
  })

const flat = (age: number): number => (age < MINUTE ? 200 + age / 600 : 300 + (age % 70_000) / 7_000) * MIB
const isFlat = (rss: (age: number, at: number) => number): boolean | null => growthOf(samplesOf(rss), 'rss', 2 * MINUTE).isFlat

describe('growth', () => {
  it('passes over warm-up and what goes up and down', () => expect(isFlat(flat)).toBe(true))
  it('sees what leaks in every life, though each begins anew', () => expect(isFlat(age => flat(age) + age * 120)).toBe(false))
  it('sees what grows from life to life', () => expect(isFlat((age, at) => flat(age) + at * 35)).toBe(false))
  it('does not judge by a handful of samples', () => expect(growthOf(samplesOf(flat).slice(0, 30), 'rss', 2 * MINUTE).isFlat).toBe(null))
})

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
    untold: [],
    keys: 5,
  },
  ...{ failures: [], undone: [] },
}
const observed: Observed = {
  ...{ minutes: 60, spans: [span], samples: samplesOf(flat), kinds: {}, happened, warmUpMs: 2 * MINUTE },
  balance: { answers: 9, credits: 9, missing: 0, unseen: 1, sumsAgree: true, intact: true },
}
const complaints = (change: Partial<Observed>, mostDisk = 100 * MIB): readonly string[] =>
  reportOf({ ...observed, ...change }, { mostDisk, mostShed: 0.01 }).complaints

describe('the verdict', () => {
  it('is well where nothing is wrong', () => {
    expect(complaints({})).toEqual([])
    expect(reportText(reportOf(observed, { mostDisk: 100 * MIB, mostShed: 0 }))).toContain('All is well.')
  })
  it.each<readonly [string, Partial<Observed>, string]>([
    ['a wrong answer', { spans: [{ ...span, faults: { 'export: wrong: other rows': 2 } }] }, '2 × export: wrong: other rows'],
    [
      'an answer that is not in the ledger',
      { balance: { ...observed.balance, missing: 1 } },
      '1 answers are not in the ledger as they said',
    ],
    [
      'more entries than answers and requests that were cut',
      { balance: { ...observed.balance, unseen: 2 } },
      '2 entries of the ledger have no answer, and only 1 were cut',
    ],
    ['sums that disagree', { balance: { ...observed.balance, sumsAgree: false } }, 'the sums of the ledger disagree'],
    ['a damaged state file', { balance: { ...observed.balance, intact: false } }, 'the state file is damaged'],
    ['a stop that failed', { happened: { ...happened, badExits: [1] } }, 'stops that ended with 1'],
    ['a publication nobody was told of', { happened: { ...happened, untold: ['R'] } }, 'the webhook was not told of R'],
    ['an error in the log', { happened: { ...happened, failures: [['during x', 2]] } }, '2 × logged: during x'],
    [
      'more refused as overloaded than it may',
      { spans: [{ ...span, shed: 1 }] },
      '10.0 % of the requests were refused as overloaded: too many for this machine at the moment',
    ],
    [
      'requests that were due and not sent',
      { spans: [{ ...span, unsent: 10 }] },
      '50.0 % of the requests were not sent: too many were under way',
    ],
    ['what did not come about', { happened: { ...happened, undone: ['step 3 was not served'] } }, 'step 3 was not served'],
  ])('tells %s', (_, change, told) => expect(complaints(change)).toEqual([told]))
  it('tells a data folder beyond its bound', () => expect(complaints({}, 40 * MIB)).toEqual(['the data folder had 50 MiB, more than 40']))
})
