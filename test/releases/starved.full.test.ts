import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
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

it('a process out of file descriptors keeps serving its release and reports no damage', () => {
  expect(seen.during).toMatchObject({ id: seen.newest, degraded: false })
  expect(seen.failures.filter(line => line.startsWith('release damaged'))).toEqual([])
  expect(seen.failures.join('\n')).toContain('EMFILE')
})

it('a process out of file descriptors refuses pinned releases and lineage as overloaded', () => {
  expect([seen.during.pinned, seen.during.lineage]).toEqual(['overloaded', 'overloaded'])
})

it('a process out of file descriptors at its start reports a dataset as unavailable', () => {
  expect(seen.atStart).toBe('data_unavailable')
})

it('a process activates missed publications once it can open files again', () => {
  expect(seen.after).toEqual([1, 2].map(() => ({ id: older, degraded: false })))
})
