import { afterAll, expect, it } from 'vitest'
import { addDays, firstRequestId } from '../../src/core/index.ts'
import { openState } from '../../src/state/db.ts'
import { createCreditEntries } from '../../src/usage/credit-entries.ts'
import { createUsageEntries } from '../../src/usage/entries.ts'
import { usageWindow } from '../../src/usage/report.ts'

const [FIRST, DAYS, NOW] = ['2026-03-01', 120, new Date('2026-07-01T12:00:00+08:00')]
const db = openState(':memory:')
db.pragma('foreign_keys = OFF')
afterAll(() => db.close())

/** Accounts a and b read `search` every day, and `seldom` only on these days. */
const SELDOM = ['2026-03-02', '2026-05-30', '2026-05-31']
const made: { readonly id: string; readonly account: string; readonly day: string }[] = []
for (let index = 0; index < DAYS; index++) {
  const day = addDays(FIRST, index)
  for (const [place, account] of ['a', 'seldom', 'b'].entries()) {
    if (account === 'seldom' && !SELDOM.includes(day)) continue
    const time = `${day}T0${place}:00:00+08:00`
    const id = `${firstRequestId(Date.parse(time) - 50)}0123456789abcdef`
    db.prepare("INSERT INTO usage_ledger VALUES (?, ?, ?, 'search', ?, 1, 10)").run(id, account, `key of ${account}`, time)
    db.prepare("INSERT INTO usage_daily VALUES (?, ?, ?, 'search', 1, 1, 10, 0)").run(account, day, `key of ${account}`)
    made.unshift({ id, account, day })
  }
}

/**
 * Reads a page.
 * @returns its entries, and the number of event loop turns, which is one per scanned block
 */
async function page(accountId: string, name: string, before: string | null = null, keyId: string | null = null) {
  let [turns, waits] = [0, true]
  const count = (): void => {
    turns++
    if (waits) setImmediate(count)
  }
  setImmediate(count)
  const wanted = { window: usageWindow(name, NOW), dataset: null, keyId, before, limit: 1_000 }
  const { entries } = await createUsageEntries(db, createCreditEntries(db), 1).page(accountId, wanted)
  waits = false
  return { ids: entries.map(({ requestId }) => requestId), turns }
}

it.each(['a', 'b', 'seldom', 'nobody'])(
  'a window of the usage ledger has the entries of account %s on the days of the window',
  async account => {
    const own = made.filter(entry => entry.account === account)
    for (const window of ['today', '7d', '30d', 'last_month', '2026-03', '2026-05', '2026-01', '2027-01']) {
      const { start, end } = usageWindow(window, NOW)
      const wanted = own.filter(({ day }) => day >= start && day <= end).map(({ id }) => id)
      expect([window, (await page(account, window)).ids]).toEqual([window, wanted])
      expect([window, (await page(account, window, wanted[1])).ids]).toEqual([window, wanted.slice(wanted.length > 1 ? 2 : 0)])
    }
  },
)

it('the usage ledger searches only days on which the account or key has entries', async () => {
  for (const [account, window] of [
    ['nobody', '30d'],
    ['a', '2026-01'],
    ['seldom', '7d'],
  ] as const)
    expect([account, await page(account, window)]).toEqual([account, { ids: [], turns: 0 }])
  expect(await page('a', '2026-05', null, 'key of b')).toEqual({ ids: [], turns: 0 })
  const { ids, turns } = await page('seldom', '2026-05')
  expect(ids).toHaveLength(2)
  expect(turns).toBeLessThan(16)
})
