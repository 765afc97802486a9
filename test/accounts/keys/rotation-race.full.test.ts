import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { readEmail } from '../../../src/accounts/index.ts'
import { openControl } from '../../../src/control/index.ts'
import { dataFolder, NOW } from '../../support.ts'

const SCRIPT = fileURLToPath(new URL('./rotate-often.ts', import.meta.url))
const TIMES = 400

it('K9: a key authenticates at every moment while another process rotates the secrets', async () => {
  const { dir, remove } = await dataFolder()
  const stateDb = `${dir}/state.sqlite`
  const peppers = ['first-pepper', 'second-pepper']
  const keys = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')]
  const control = openControl({ stateDb }, { KEY_PEPPER: peppers.join(), KEY_ENCRYPTION_KEY: keys.join() })
  const { id } = control.accounts.ensure(readEmail('owner@example.test')!, NOW)
  const { keyId, secret } = control.keys.issue(id, 'test', NOW)
  const digest = () => control.db.prepare<[string], string>('SELECT hex(lookup) FROM api_key WHERE id = ?').pluck().get(keyId)
  const digests = new Set([digest()])

  const child = spawn(process.execPath, [SCRIPT, stateDb, String(TIMES), ...peppers, ...keys], { stdio: 'inherit' })
  const ending = once(child, 'exit')
  let [lookups, misses] = [0, 0]
  while (child.exitCode === null && child.signalCode === null) {
    for (let count = 0; count < 500; count++) if (control.keys.find(secret, NOW)?.status !== 'active') misses++
    lookups += 500
    digests.add(digest())
    await setImmediate()
  }
  expect(await ending).toEqual([0, null])
  expect(digests.size, 'distinct digests').toBe(2)
  expect(lookups).toBeGreaterThan(TIMES)
  expect(misses).toBe(0)
  expect(control.keys.reveal(id, keyId)).toBe(secret)
  control.close()
  await remove()
})
