import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openControl } from '../../src/control/index.ts'
import { loadSecrets, readConfig, type Secrets } from '../../src/core/index.ts'
import { runTwmd } from '../fixtures/cli/in-process.ts'
import { dataFolder, SECRETS } from '../support.ts'

let folder: Awaited<ReturnType<typeof dataFolder>>
beforeEach(async () => {
  folder = await dataFolder()
})
afterEach(() => folder.remove())

const CREATE = ['keys', 'create', '--email', 'owner@example.test', '--plan', 'free', '--json']
const NEXT = { KEY_PEPPER: 'p'.repeat(40), KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') }
const file = (): string => join(folder.dir, 'secrets.json')
const stored = (): Secrets => JSON.parse(readFileSync(file(), 'utf8'))
/** The new secrets before the former ones, as for a rotation. */
const both = ({ KEY_PEPPER, KEY_ENCRYPTION_KEY }: Secrets) => ({
  KEY_PEPPER: `${NEXT.KEY_PEPPER},${KEY_PEPPER}`,
  KEY_ENCRYPTION_KEY: `${NEXT.KEY_ENCRYPTION_KEY},${KEY_ENCRYPTION_KEY}`,
})
/** Status of a key with the secrets of `secrets.json`. */
function statusOf(key: string): string | undefined {
  const config = readConfig({ DATA_DIR: folder.dir })
  const control = openControl(config, loadSecrets(config))
  try {
    return control.keys.find(key, new Date())?.status
  } finally {
    control.close()
  }
}

it('twmd keys rotate replaces the rotated secrets in secrets.json, and then keys work with this file alone', async () => {
  const { api_key: key } = JSON.parse((await runTwmd(folder.dir, CREATE)).stdout)
  const before = stored()
  expect(await runTwmd(folder.dir, ['keys', 'rotate'], both(before))).toEqual({
    code: 0,
    stdout:
      '1 keys are encrypted with the new secrets. Restart the service with only the new values.\n' +
      'secrets.json has the new KEY_PEPPER, KEY_ENCRYPTION_KEY.\n',
    stderr: '',
  })
  expect(stored()).toEqual({ ...before, ...NEXT })
  expect(statSync(file()).mode & 0o777).toBe(0o600)
  expect(statusOf(key)).toBe('active')
  expect((await runTwmd(folder.dir, ['doctor'])).code).toBe(0)
  const again = await runTwmd(folder.dir, ['keys', 'rotate'], both(before))
  expect([again.code, again.stdout]).toEqual([0, expect.not.stringContaining('secrets.json')])
})

it('twmd keys rotate creates no secrets.json if the environment sets every secret', async () => {
  await runTwmd(folder.dir, CREATE, SECRETS)
  const { code, stdout } = await runTwmd(folder.dir, ['keys', 'rotate'], { ...SECRETS, ...both(SECRETS) })
  expect([code, stdout]).toEqual([0, expect.not.stringContaining('secrets.json')])
  expect(existsSync(file())).toBe(false)
})
