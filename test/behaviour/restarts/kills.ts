import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'vitest'
import { accountsOf, FIRMS, type Folder } from '../../state/folder.ts'
import { callers } from './callers.ts'

interface Started {
  readonly url: string
  readonly child: ChildProcess
}

/**
 * Kills a service under load several times. After each kill, compares its ledger with the answers.
 * The folder has one key per caller.
 */
export async function killUnderLoad(folder: Folder, kills: number, start: () => Promise<Started>): Promise<void> {
  const acknowledged: string[] = []
  for (let kill = 1; kill <= kills; kill++) {
    const { url, child } = await start()
    const load = callers(folder.keys.length, `${url}${FIRMS}`, folder.keys)
    await load.more(1 + ((kill * 37) % 300))
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
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
    expect(ledger - acknowledged.length).toBeLessThanOrEqual(kill * folder.keys.length)
  }
  expect(new Set(acknowledged).size).toBe(acknowledged.length)
  expect(acknowledged.length).toBeGreaterThan(kills)
}
