import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { CHECKOUT, twmdOf } from '../fixtures/cli/twmd.ts'

let checkout: string
let added: string
beforeAll(() => {
  checkout = mkdtempSync(join(tmpdir(), 'twmd-'))
  for (const name of ['catalog', 'ingest', 'portal', 'src', 'package.json'])
    cpSync(join(CHECKOUT, name), join(checkout, name), { recursive: true })
  symlinkSync(join(CHECKOUT, 'node_modules'), join(checkout, 'node_modules'))
  added = join(checkout, 'ingest/feeds/added.ts')
})
afterEach(() => rmSync(added, { force: true }))
afterAll(() => rmSync(checkout, { recursive: true, force: true }))

const NAMED = 'added.ts must have a feed with the same name as its default export'

it.each([
  ['exports no feed', 'export const feed = {}', NAMED],
  ['has another name than its feed', "export { default } from './twse-t86.ts'", NAMED],
  ['imports a missing module', "import './nothing.ts'", /^added\.ts cannot be loaded: Cannot find module .*nothing\.ts/],
  ['throws while it loads', "throw new Error('no table')", 'added.ts cannot be loaded: no table'],
])('twmd reports in one sentence that a file of ingest/feeds %s', async (_, content, sentence) => {
  writeFileSync(added, content)
  const { code, stdout, stderr } = await twmdOf(checkout, join(checkout, 'data'), 'ingest', 'twse-t86', 'a.json')
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(/^[^\n]+\n$/)
  expect(stderr.trimEnd()).toEqual(typeof sentence === 'string' ? sentence : expect.stringMatching(sentence))
})
