import fc from 'fast-check'
import { expect } from 'vitest'
import { addDays, taipeiDay } from '../../src/core/index.ts'
import { NOW, service } from '../support.ts'
import { type Holder, holder, usageOf } from './ledger.ts'

/** A read of each dataset and its price. */
const READS = {
  'securities-firm-master': { url: '/v2/datasets/securities-firm-master', credits: 1 },
  'institutional-positioning': { url: '/v2/datasets/institutional-positioning?symbol=2330', credits: 2 },
  'company-risk-events': { url: '/v2/datasets/company-risk-events?symbol=2330', credits: 3 },
  earnings: { url: '/v1/earnings?symbol=2330', credits: 2 },
} as const
type Slug = keyof typeof READS
const SLUGS = Object.keys(READS) as readonly Slug[]

const DAYS = Array.from({ length: 9 }, (_, index) => addDays('2026-06-27', index))
const Call = fc.record({
  key: fc.nat(2),
  dataset: fc.constantFrom(...SLUGS),
  day: fc.constantFrom(...DAYS),
  /** Kinds of calls: most succeed, others are refused, answered 304, or sent by another account. */
  kind: fc.constantFrom('read', 'read', 'read', 'refused', 'unchanged', 'foreign'),
})
type Call = typeof Call extends fc.Arbitrary<infer T> ? T : never

export const NOTHING = { requests: 0, credits: 0, rows: 0, errors: 0 }
type Totals = typeof NOTHING
const plus = (sum: Totals, more: Totals): Totals => ({
  requests: sum.requests + more.requests,
  credits: sum.credits + more.credits,
  rows: sum.rows + more.rows,
  errors: sum.errors + more.errors,
})
const total = (all: readonly Totals[]): Totals => all.reduce(plus, NOTHING)

interface Done extends Totals {
  readonly day: string
  readonly dataset: Slug
  readonly key_id: string
}

/** A service, and functions that compare its usage summary with random calls. */
export async function openSummary() {
  let time = NOW
  const s = await service({ now: () => time })
  /**
   * Makes a call.
   *
   * @returns its usage if the account made it
   */
  async function make({ key, dataset, day, kind }: Call, keys: readonly Holder[], outsider: string): Promise<Done | undefined> {
    time = new Date(`${day}T${kind === 'read' ? '00:00:00' : '23:59:59'}+08:00`)
    const { url, credits } = READS[dataset]
    if (kind === 'foreign') return void (await s.get(url, outsider))
    const { key: secret, keyId } = keys[key]!
    const use = { day, dataset, key_id: keyId, ...NOTHING }
    if (kind === 'unchanged') {
      const etag = String((await s.get(url, outsider)).headers['etag'])
      expect((await s.get(url, secret, { 'if-none-match': etag })).statusCode).toBe(304)
      return use
    }
    if (kind === 'refused') {
      expect((await s.get(`${url}${url.includes('?') ? '&' : '?'}limit=0`, secret)).statusCode).toBe(422)
      return { ...use, errors: 1 }
    }
    const { statusCode, headers } = await s.get(url, secret)
    expect([statusCode, headers['x-credits-charged']]).toEqual([200, String(credits)])
    return { ...use, requests: 1, credits, rows: Number(headers['x-row-count']) }
  }

  /**
   * Totals of the calls by one of their fields, in the order of that field. Values without a call
   * are left out.
   */
  const by = (uses: readonly Done[], field: 'day' | 'dataset' | 'key_id') =>
    [...Map.groupBy(uses, call => call[field])]
      .sort(([first], [other]) => (first < other ? -1 : 1))
      .map(([value, calls]) => ({ [field]: value, ...total(calls) }))
      .filter(({ requests, errors }) => Number(requests) + Number(errors) > 0)

  /** Replaces a dataset's slug by the names that responses use. */
  const namesOf = (sums: object) => {
    const { dataset: slug } = sums as { readonly dataset: string }
    return { dataset: s.dataset(slug).id, slug }
  }

  let people = 0
  async function check(calls: readonly Call[]): Promise<void> {
    time = NOW
    const email = `summary${people++}@example.test`
    const keys = [0, 1, 2].map(() => holder(s, 'pro', email, NOW))
    const outsider = s.keyOn('pro', `outsider-${email}`)
    const uses: Done[] = []
    for (const call of calls) {
      const made = await make(call, keys, outsider)
      if (made) uses.push(made)
    }
    await expect.poll(() => usageOf(s.dir, keys[0]!.accountId).errors).toBe(total(uses).errors)
    time = new Date(`${DAYS.at(-1)}T12:00:00+08:00`)
    for (const [query, within] of queries()) {
      const answer = (await s.get(`/v2/account/usage-summary?${query}`, keys[1]!.key)).json()
      const { by_day, by_dataset, by_key } = answer
      const { granted, refunded, ...totals } = answer.totals
      expect([granted, refunded], query).toEqual([0, 0])
      const covered = uses.filter(within)
      expect({ totals, by_day, by_dataset, by_key }, query).toEqual({
        totals: total(covered),
        by_day: by(covered, 'day'),
        by_dataset: by(covered, 'dataset').map(sums => ({ ...sums, ...namesOf(sums) })),
        by_key: by(covered, 'key_id'),
      })
      expect([total(by_day), total(by_dataset), total(by_key)]).toEqual([totals, totals, totals].map(part => expect.objectContaining(part)))
    }
  }

  /** Queries of the summary, each with the calls that it includes. */
  function queries(): readonly (readonly [string, (call: Done) => boolean])[] {
    const today = taipeiDay(time)
    const windows = [
      ['today', today, today],
      ['7d', addDays(today, -6), today],
      ['30d', addDays(today, -29), today],
      ['month', '2026-07-01', '2026-07-31'],
      ['last_month', '2026-06-01', '2026-06-30'],
    ] as const
    return windows.flatMap(([name, start, end]) => {
      const within = ({ day }: Done): boolean => day >= start && day <= end
      const queries = SLUGS.flatMap(slug =>
        [slug, s.dataset(slug).id, slug.replaceAll('-', '_')].map(
          word => [`window=${name}&dataset=${word}`, (call: Done) => within(call) && call.dataset === slug] as const,
        ),
      )
      return [[`window=${name}`, within] as const, ...queries]
    })
  }

  return {
    service: s,
    /** Makes `numRuns` random series of calls and compares every summary with them. */
    checkRandomCalls: (numRuns: number) =>
      fc.assert(fc.asyncProperty(fc.array(Call, { maxLength: 40 }), check), { seed: 20260701, numRuns }),
  }
}
