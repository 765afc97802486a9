import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Publisher, publisher } from '../publish/publisher.ts'
import { inboxOf, outcomesOf } from './inbox.ts'

const { renameSync } = fs
/** Named imports of Node's modules see a replaced function only after `syncBuiltinESMExports`. */
const replaceRename = (by: typeof renameSync): void => {
  fs.renameSync = by
  syncBuiltinESMExports()
}

let s: Publisher
beforeEach(async () => {
  s = await publisher()
})
afterEach(async () => {
  replaceRename(renameSync)
  await s.close()
})

it.skipIf(process.platform !== 'linux')(
  'a file that fails with an I/O error stays in the inbox and is published by a later scan',
  async () => {
    const inbox = inboxOf(s)
    await inbox.once()
    const row = { market: 'TWSE', date: '2026-06-19', is_open: false, reason: '端午節' }
    inbox.drop('trading-calendar/days.json', JSON.stringify([row]))
    let failed = 0
    replaceRename((from, target) => {
      renameSync(from, target)
      if (!/in0\.json$/.test(String(target))) return
      failed++
      // Reading address 0 of this process's memory fails with EIO.
      fs.rmSync(target)
      fs.symlinkSync('/proc/self/mem', target)
    })
    const during = await inbox.once()
    replaceRename(renameSync)
    expect(failed).toBe(1)
    expect(during).toContainEqual(
      expect.objectContaining({
        kind: 'failed',
        error: expect.objectContaining({ message: expect.stringMatching(/i\/o error|Input\/output error/) }),
      }),
    )
    expect([inbox.files('inbox'), inbox.files('quarantine')]).toEqual([['trading-calendar/days.json'], []])
    expect(outcomesOf(await inbox.once())).toEqual({ 'days.json': 'published' })
    expect(inbox.files('inbox')).toEqual([])
  },
)
