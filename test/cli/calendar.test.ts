import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { loadCatalog } from '../../catalog/index.ts'
import { twmd } from '../fixtures/cli/in-process.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twmd-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

it('twmd publish checks the first file against the bundled trading calendar', async () => {
  const quote = (await loadCatalog()).get('bond-yield-curve')!.example[0]!
  const file = join(dir, 'holiday.ndjson')
  writeFileSync(file, JSON.stringify({ ...quote, trade_date: '2024-10-31', as_of: '2024-10-31' }))
  const { code, stderr } = await twmd(dir, 'publish', 'bond-yield-curve', file)
  expect([code, stderr]).toEqual([1, expect.stringContaining('The market did not trade on TPEX 2024-10-31 (康芮颱風)')])
})
