import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openState } from '../../../src/state/db.ts'
import type { Use } from '../../../src/usage/batch.ts'
import { NOW, service, type TestService } from '../../support.ts'
import { balanced, type Holder, holder, usageOf } from '../../usage/ledger.ts'

const SLUGS = ['events', 'earnings', 'institutional-positioning'] as const
/** The last millisecond of a month and the first millisecond of the next month. */
const TIMES = ['2026-06-30T23:59:59.999+08:00', '2026-07-01T00:00:00.000+08:00'] as const

let s: TestService
beforeAll(async () => {
  s = await service({ examples: false, now: () => NOW })
})
afterAll(() => s.close())

/** Uses that are recorded in one turn of the event loop. Each has different values. */
const usesOf = (holders: readonly Holder[], name: string, count: number): readonly Use[] =>
  Array.from({ length: count }, (_, index) => {
    const { accountId, keyId } = holders[index % holders.length]!
    const [dataset, timestamp] = [SLUGS[index % SLUGS.length]!, TIMES[index % TIMES.length]!]
    return {
      requestId: `req_${name}_${String(index).padStart(3, '0')}`,
      accountId,
      keyId,
      dataset,
      at: timestamp,
      credits: index + 1,
      rows: 1_000 - index,
    }
  })

const recordAll = (uses: readonly Use[]) => Promise.allSettled(uses.map(use => s.control.ledger.record(use)))

/** Sums of the uses by name, in alphabetical order. */
const sumsBy = (uses: readonly Use[], nameOf: (use: Use) => readonly string[]) => {
  const sums = new Map<string, { requests: number; credits: number; rows: number }>()
  for (const use of uses) {
    const name = nameOf(use).join(' ')
    const { requests, credits, rows } = sums.get(name) ?? { requests: 0, credits: 0, rows: 0 }
    sums.set(name, { requests: requests + 1, credits: credits + use.credits, rows: rows + use.rows })
  }
  return [...sums].map(([name, sum]) => ({ name, ...sum })).sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** The daily summary by key, day and dataset, read over a separate connection. */
function dailyOf(keys: readonly string[]) {
  const state = openState(`${s.dir}/state.sqlite`)
  try {
    return state
      .prepare(
        `SELECT key_id || ' ' || day || ' ' || dataset AS name, requests, credits, rows FROM usage_daily
         WHERE key_id IN (SELECT value FROM json_each(?)) ORDER BY name`,
      )
      .all(JSON.stringify(keys))
  } finally {
    state.close()
  }
}

describe('concurrent uses', () => {
  it.each([1, 7, 8, 9, 16, 23, 64, 131])('each of %i concurrent uses is in the ledger and in the daily and monthly sums', async count => {
    const holders = Array.from({ length: 11 }, (_, index) => holder(s, 'max', `together${count}-${index}@example.test`, NOW))
    const uses = usesOf(holders, `together${count}`, count)
    await recordAll(uses)
    for (const { accountId, keyId } of holders) {
      const own = uses.filter(use => use.keyId === keyId)
      const entries = own.map(({ requestId, dataset, at: timestamp, credits, rows }) => ({
        request_id: requestId,
        key_id: keyId,
        dataset,
        at: timestamp,
        credits,
        rows,
      }))
      expect(usageOf(s.dir, accountId).entries).toEqual(entries)
      expect(balanced(s.dir, accountId).requests).toBe(own.length)
      expect(usageOf(s.dir, accountId).periods.map(({ period, requests, credits }) => ({ name: period, requests, credits }))).toEqual(
        sumsBy(own, ({ at: timestamp }) => [timestamp.slice(0, 7)]).map(({ name, requests, credits }) => ({ name, requests, credits })),
      )
    }
    expect(dailyOf(holders.map(({ keyId }) => keyId))).toEqual(
      sumsBy(uses, ({ keyId, at: timestamp, dataset }) => [keyId, timestamp.slice(0, 10), dataset]),
    )
  })

  it.each([3, 12, 20])('if number %i of 20 concurrent uses is already in the ledger, the ledger charges none of them', async place => {
    const account = holder(s, 'max', `twice${place}@example.test`, NOW)
    const [first, ...uses] = usesOf([account], `twice${place}`, 21) as [Use, ...Use[]]
    await recordAll([first])
    const before = balanced(s.dir, account.accountId)
    const outcomes = await recordAll(uses.with(place - 1, first))
    expect(outcomes.map(({ status }) => status)).toEqual(uses.map(() => 'rejected'))
    expect(balanced(s.dir, account.accountId)).toEqual(before)
    expect(s.control.ledger.used(account.accountId, first.at.slice(0, 7))).toBe(before.credits)
    await recordAll(uses)
    expect(balanced(s.dir, account.accountId).requests).toBe(21)
  })
})
