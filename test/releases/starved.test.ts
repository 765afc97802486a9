import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { day } from '../fixtures/publish/rows.ts'
import { releaseIds, stored } from '../fixtures/publish/store.ts'
import { service, type TestService } from '../support.ts'

const SLUG = 'institutional-positioning'
const SCRIPT = fileURLToPath(new URL('../fixtures/releases/starved.ts', import.meta.url))

interface Seen {
  readonly newest: string
  readonly during: { readonly id: string; readonly degraded: boolean; readonly pinned: string; readonly lineage: string }
  readonly atStart: string
  readonly after: readonly { readonly id: string; readonly degraded: boolean }[]
  readonly failures: readonly string[]
}

let s: TestService
let older: string
let seen: Seen
beforeAll(async () => {
  s = await service({ examples: false })
  await s.publish(SLUG, day('2026-06-29', 1))
  await s.publish(SLUG, day('2026-06-30', 2))
  older = releaseIds(s.workspace.releases, SLUG)[0]!
  writeFileSync(`${stored(s.workspace.releases, SLUG).paths.current}.older`, `${older}\n`)
  const child = ['-c', 'ulimit -n 128; exec "$0" "$@"', process.execPath, SCRIPT, s.workspace.releases, SLUG, older]
  seen = JSON.parse((await promisify(execFile)('sh', child)).stdout)
}, 60_000)
afterAll(() => s.close())

describe('a process that can open no more files', () => {
  it('goes on serving what it served, and counts nothing as damaged', () => {
    expect(seen.during).toMatchObject({ id: seen.newest, degraded: false })
    expect(seen.failures.filter(line => line.startsWith('release damaged'))).toEqual([])
    expect(seen.failures.join('\n')).toContain('EMFILE')
  })

  it('refuses a pinned release and the lineage of one for the moment, not as damaged or gone', () => {
    expect([seen.during.pinned, seen.during.lineage]).toEqual(['overloaded', 'overloaded'])
  })

  it('refuses a dataset it could not read at its start as unavailable, not as never published', () => {
    expect(seen.atStart).toBe('data_unavailable')
  })

  it('activates by itself what was published meanwhile, once it can open files again', () => {
    expect(seen.after).toEqual([1, 2].map(() => ({ id: older, degraded: false })))
  })
})
