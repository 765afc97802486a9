import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { CHECKOUT, twmdOf } from '../fixtures/cli/twmd.ts'

let checkout: string
let added: string
beforeAll(() => {
  checkout = mkdtempSync(join(tmpdir(), 'twmd-'))
  for (const name of ['catalog', 'ingest', 'src', 'package.json']) cpSync(join(CHECKOUT, name), join(checkout, name), { recursive: true })
  symlinkSync(join(CHECKOUT, 'node_modules'), join(checkout, 'node_modules'))
  added = join(checkout, 'ingest/feeds/added.ts')
})
afterEach(() => rmSync(added, { force: true }))
afterAll(() => rmSync(checkout, { recursive: true, force: true }))

const NAMED = 'added.ts must export by default the feed whose name is its own'

describe('a mistake in a file of ingest/feeds is one sentence', () => {
  it.each([
    ['exports no feed', 'export const feed = {}', NAMED],
    ['is not named as its feed', "export { default } from './twse-t86.ts'", NAMED],
    ['imports what is not there', "import './nothing.ts'", /^added\.ts cannot be loaded: Cannot find module .*nothing\.ts/],
    ['fails as it loads', "throw new Error('no table')", 'added.ts cannot be loaded: no table'],
  ])('when it %s', async (_, content, sentence) => {
    writeFileSync(added, content)
    for (const args of [['ingest', 'twse-t86', 'a.json'], ['doctor']]) {
      const { code, stdout, stderr } = await twmdOf(checkout, join(checkout, 'data'), ...args)
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toMatch(/^[^\n]+\n$/)
      expect(stderr.trimEnd()).toEqual(typeof sentence === 'string' ? sentence : expect.stringMatching(sentence))
    }
  })
})
