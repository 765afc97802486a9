import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { logFolder } from '../../src/delta/index.ts'
import { twmd } from '../fixtures/cli/in-process.ts'
import { releaseIds } from '../fixtures/publish/store.ts'
import { replayed } from '../fixtures/tables/log.ts'
import { dataFolder, openTestWorkspace, publishRows } from '../support.ts'

const SLUGS = ['bond-yield-curve', 'securities-firm-master'] as const
let folder: Awaited<ReturnType<typeof dataFolder>>
let releases: string
beforeAll(async () => {
  folder = await dataFolder()
  const w = await openTestWorkspace(folder.dir)
  releases = w.releases
  for (const slug of SLUGS) await publishRows(w, folder.dir, w.catalog.get(slug)!, w.catalog.get(slug)!.example)
  w.close()
})
afterAll(() => folder.remove())

it('twmd tables rebuild writes missing and damaged table logs, and twmd tables check names them', async () => {
  const whole = { code: 0, stderr: '', stdout: SLUGS.map(slug => `${slug}: the log is complete, at version 0.\n`).join('') }
  expect(await twmd(folder.dir, 'tables', 'rebuild')).toEqual(whole)

  for (const slug of SLUGS) rmSync(logFolder(releases, slug), { recursive: true })
  const missing = SLUGS.map(slug => `${slug}: the log is incomplete: there is no log; run twmd tables rebuild ${slug}.\n`).join('')
  expect(await twmd(folder.dir, 'tables', 'check')).toEqual({ code: 1, stdout: '', stderr: missing })
  const doctor = await twmd(folder.dir, 'doctor')
  expect(doctor).toMatchObject({ code: 1, stdout: expect.stringMatching(/^FIX {3}tables .*bond-yield-curve.*securities-firm-master/m) })

  const written = SLUGS.map(slug => `${slug}: there was no log; 1 commit written, the log is at version 0.\n`).join('')
  expect(await twmd(folder.dir, 'tables', 'rebuild')).toEqual({ code: 0, stderr: '', stdout: written })
  for (const slug of SLUGS) expect(replayed(releases, slug).map(({ release }) => release)).toEqual(releaseIds(releases, slug))
  expect(await twmd(folder.dir, 'doctor')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ok +tables /m) })

  const [slug, other] = SLUGS
  const [file] = readdirSync(logFolder(releases, slug))
  writeFileSync(join(logFolder(releases, slug), file!), 'no commit')
  const { stdout, code } = await twmd(folder.dir, 'tables', 'check', '--json')
  const [release] = releaseIds(releases, other)
  expect([code, JSON.parse(stdout)]).toEqual([
    1,
    [
      { dataset: slug, version: null, release: null, fault: 'version 0 is damaged' },
      { dataset: other, version: 0, release, fault: null },
    ],
  ])
  expect(await twmd(folder.dir, 'tables', 'rebuild', slug)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('version 0 is damaged'),
  })
  expect(await twmd(folder.dir, 'tables', 'check', slug)).toMatchObject({ code: 0 })
})

it('twmd tables reports a dataset without a release and writes nothing for it', async () => {
  expect(await twmd(folder.dir, 'tables', 'rebuild', 'theme-taxonomy')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('no release yet'),
  })
  expect(await twmd(folder.dir, 'tables', 'check', 'theme-taxonomy')).toMatchObject({
    code: 0,
    stdout: 'theme-taxonomy: no release yet.\n',
  })
  expect(readdirSync(releases).sort()).toEqual([...SLUGS])
})
