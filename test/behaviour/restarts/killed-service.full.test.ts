import { once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accountsOf, FIRMS, type Folder, preparedFolder } from '../../accounts/state/folder.ts'
import { serving } from '../../fixtures/cli/twmd.ts'
import { SECRETS } from '../../support.ts'
import { callers } from './callers.ts'

const KILLS = 12
const CALLERS = 16
let folder: Folder
beforeAll(async () => {
  folder = await preparedFolder(CALLERS)
})
afterAll(() => folder.remove())

it('M2: a service killed under load has every sent answer in its ledger, once', async () => {
  const acknowledged: string[] = []
  for (let kill = 1; kill <= KILLS; kill++) {
    const { url, child } = await serving(folder.dir, 'serve', SECRETS)
    const load = callers(CALLERS, `${url}${FIRMS}`, folder.keys)
    await load.more(1 + ((kill * 37) % 300))
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
    await load.stop()
    expect(load.refused).toEqual([])
    acknowledged.push(...load.acknowledged)
    const { ids, books } = folder.inspect(db => ({
      ids: new Set(db.prepare<[], string>('SELECT request_id FROM usage_ledger').pluck().all()),
      books: accountsOf(db),
    }))
    expect(acknowledged.filter(id => !ids.has(id))).toEqual([])
    const { ledger } = books
    expect(books).toEqual({
      check: 'ok',
      ledger,
      daily: ledger,
      period: ledger,
      credits: ledger,
      dailyCredits: ledger,
      periodCredits: ledger,
    })
    expect(ledger - acknowledged.length).toBeLessThanOrEqual(kill * CALLERS)
  }
  expect(new Set(acknowledged).size).toBe(acknowledged.length)
  expect(acknowledged.length).toBeGreaterThan(KILLS)
}, 180_000)
