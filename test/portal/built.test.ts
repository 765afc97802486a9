import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const BUILT = new URL('../../src/portal/dist/', import.meta.url)

it('builds pages that name no path of this machine', () => {
  const files = readdirSync(BUILT).filter(name => /\.(js|css)$/.test(name))
  expect(files.length).toBeGreaterThan(10)
  expect(files.filter(name => readFileSync(new URL(name, BUILT), 'utf8').includes(ROOT))).toEqual([])
})
