import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { served } from '../../catalog/index.ts'
import { SHARING_FORMATS } from '../../src/delta/index.ts'
import { blocksOf } from '../behaviour/documents/documents.ts'
import { freePort } from '../fixtures/free-port.ts'
import { makeHistories, type TableHistory, tablesFile } from '../fixtures/tables/history.ts'
import { hasModules, READERS_PYTHON } from './engines.ts'
import { type Sharing, sharing } from './sharing.ts'

const isThere = hasModules(READERS_PYTHON, 'delta_sharing')

let s: Sharing
let tables: readonly (TableHistory & { readonly share: string })[]
let profile = ''
beforeAll(async () => {
  if (!isThere) return
  const port = await freePort()
  s = await sharing({ examples: false, publicUrl: `http://127.0.0.1:${port}` })
  const plans = new Map(served(s.catalog).map(({ slug, access }) => [slug, access!.plan]))
  tables = (await makeHistories(s)).flatMap(table => (plans.has(table.slug) ? [{ ...table, share: plans.get(table.slug)! }] : []))
  writeFileSync(tablesFile(s.dir), JSON.stringify(tables))
  profile = join(s.dir, 'test.share')
  const endpoint = `${await s.app.listen({ port, host: '127.0.0.1' })}/delta-sharing`
  writeFileSync(profile, JSON.stringify({ shareCredentialsVersion: 1, endpoint, bearerToken: s.keyOn('max') }))
}, 300_000)
afterAll(() => s?.close())

async function python(format: string, ...args: readonly string[]) {
  return JSON.parse((await printed(args, { SHARING_PROFILE: profile, SHARING_FORMAT: format })).split('\n').at(-1)!)
}

/** Output of Python without the last line end. */
async function printed(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(READERS_PYTHON, args, { env: { ...process.env, ...env }, maxBuffer: 2 ** 24 })
  return stdout.trimEnd()
}

describe.skipIf(!isThere).each(SHARING_FORMATS)(
  `delta_sharing for pandas, in %s (skipped if ${READERS_PYTHON} lacks it: run test/delta/run)`,
  format => {
    it('the delta_sharing client reads every version of every dataset as the API sent it', async () => {
      const output = await python(format, 'test/delta/readers/compare.py', 'over_delta_sharing', s.dir)
      expect(output).toEqual({ versions: tables.reduce((sum, { versions }) => sum + versions.length, 0), wrong: [] })
    }, 300_000)

    it('the delta_sharing client lists tables, limits rows, prunes by hints and reads former versions', async () => {
      const { name, share, versions } = tables.find(({ slug }) => slug === 'institutional-positioning')!
      const [first, last] = [versions[0]!, versions.at(-1)!]
      const key = s.dataset('institutional-positioning').key!
      const value = String(last.rows[0]![key])
      const timestamp = new Date(
        Date.parse((await s.releases.pinned(s.dataset('institutional-positioning'), first.release)).manifest.published_at),
      ).toISOString()
      const table = JSON.stringify({ share, name, key, value, timestamp })
      expect(await python(format, 'test/delta/readers/sharing_options.py', table)).toEqual({
        tables: tables.map(one => `${one.share}.twmd.${one.name}`).toSorted(),
        version: last.version,
        since: first.version,
        limited: Math.min(2, last.rows.length),
        none: 0,
        hinted: last.rows.filter(row => row[key] === value).length,
        at: first.rows.length,
        unknown: 0,
      })
    }, 120_000)
  },
)

it.skipIf(!isThere)(
  `the programs of docs/sharing.md run (skipped if ${READERS_PYTHON} lacks the client: run test/delta/run)`,
  async () => {
    const lines = blocksOf('docs/sharing.md').flatMap(({ text }) => (text.includes('delta_sharing.') ? [text] : []))
    expect(lines).toHaveLength(2)
    const program = [...lines, 'print(len(history))'].join('\n').replace('data/twmd.share', profile)
    const { versions } = tables.find(({ slug }) => slug === 'institutional-positioning')!
    const [first, last] = [versions[0]!.rows, versions.at(-1)!.rows]
    const ticker = last.filter(row => row['ticker'] === '2330')
    expect(await printed(['-c', program])).toBe(`${last.length} ${Math.min(100, last.length)} ${first.length} Date\n${ticker.length}`)
  },
  120_000,
)
