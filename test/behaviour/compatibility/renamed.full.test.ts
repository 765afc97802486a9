import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { twmd } from '../../fixtures/cli/twmd.ts'
import { dataFolder } from '../../support.ts'

it('twmd accepts slug, former slug and id as names of a renamed dataset', async () => {
  const { dir, remove } = await dataFolder()
  cpSync('test/behaviour/compatibility/renamed/daily-quotes', join(dir, 'releases', 'daily-quotes'), { recursive: true })
  for (const name of ['daily-prices', 'daily-quotes', 'daily_prices']) {
    expect.soft(await twmd(dir, 'releases', 'verify', name), `releases verify ${name}`).toMatchObject({ code: 0, stderr: '' })
    expect.soft(await twmd(dir, 'tables', 'check', name), `tables check ${name}`).toMatchObject({ code: 0 })
  }
  await remove()
})
