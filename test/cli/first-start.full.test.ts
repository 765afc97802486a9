import { spawn } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { openControl } from '../../src/control/index.ts'
import { loadSecrets, readConfig } from '../../src/core/index.ts'
import { ended, twmd } from '../fixtures/cli/twmd.ts'
import { dataFolder } from '../support.ts'

it('K7: commands that start together on an empty folder share one set of secrets, and all their keys work', async () => {
  const { dir, remove } = await dataFolder()
  const ran = await Promise.all(
    Array.from({ length: 4 }, (_, at) => twmd(dir, 'keys', 'create', '--email', `owner${at}@example.test`, '--plan', 'free', '--json')),
  )
  for (const { code, stderr } of ran) expect([code, stderr]).toEqual([0, ''])
  const file = `${dir}/secrets.json`
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(`${dir}/state.sqlite`).mode & 0o777).toBe(0o600)
  const config = readConfig({ DATA_DIR: dir })
  const secrets = readFileSync(file, 'utf8')
  const control = openControl(config, loadSecrets(config))
  for (const { stdout } of ran) expect(control.keys.find(JSON.parse(stdout).api_key, new Date())?.status).toBe('active')
  control.close()
  expect(readFileSync(file, 'utf8')).toBe(secrets)
  await remove()
})

it('K7: processes that create the secrets at the same instant use the same secrets', async () => {
  const { dir, remove } = await dataFolder()
  const script = fileURLToPath(new URL('./load-secrets.ts', import.meta.url))
  const start = String(Date.now() + 2_000)
  const ran = await Promise.all(
    Array.from({ length: 4 }, () => ended(spawn(process.execPath, [script, dir, '100', start], { stdio: ['ignore', 'pipe', 'pipe'] }))),
  )
  for (const { code, stderr } of ran) expect([code, stderr]).toEqual([0, ''])
  expect(new Set(ran.map(({ stdout }) => stdout)).size).toBe(1)
  await remove()
})
