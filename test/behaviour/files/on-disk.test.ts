import { createHash } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { releasePaths } from '../../../src/releases/index.ts'
import { service, type TestService } from '../../support.ts'
import { errorOf, FREE, fileOf, PAID, partsOf, signedUrl } from './signed.ts'

let s: TestService
beforeAll(async () => {
  s = await service({ inMemory: false })
})
afterAll(() => s.close())

it('a file of a former release is sent until that release is deleted', async () => {
  const former = partsOf(s, FREE)[0]!.sha256
  const { id } = s.releases.current(s.dataset(FREE))
  const { example } = s.dataset(FREE)
  await s.publish(FREE, [...example.slice(1), { ...example[0]!, broker_name: '另一家' }])
  expect(partsOf(s, FREE).map(({ sha256 }) => sha256)).not.toContain(former)
  const url = signedUrl(s, s.keyOn('free'), FREE, former)
  expect((await s.get(url)).statusCode).toBe(200)
  await rm(releasePaths(`${s.dir}/releases`, FREE).release(id), { recursive: true })
  const response = await s.get(url)
  expect([response.statusCode, errorOf(response)]).toEqual([404, 'unknown_id'])
})

it('if a file is damaged, it is refused and its dataset is degraded; once repaired, the file is sent again', async () => {
  const { sha256 } = partsOf(s, PAID)[0]!
  const file = fileOf(s, PAID, sha256)
  const url = signedUrl(s, s.keyOn('max'), PAID)
  const whole = await readFile(file)
  const flipped = Buffer.from(whole)
  flipped[100] = flipped[100]! ^ 1
  await writeFile(file, flipped)
  const response = await s.get(url)
  expect([response.statusCode, errorOf(response)]).toEqual([500, 'integrity'])
  await expect.poll(async () => (await s.get(`/v2/datasets/${PAID}?tenor_label=10Y`, s.keyOn('max'))).statusCode).toBe(503)
  await writeFile(file, whole)
  expect((await s.get(url)).statusCode).toBe(200)
})

/** Writes the manifest of a release, and the file with its sha256. */
async function writeManifest(folder: string, manifest: object): Promise<void> {
  const text = JSON.stringify(manifest)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'manifest.json'), text)
  await writeFile(join(folder, 'manifest.sha256'), createHash('sha256').update(text).digest('hex'))
}

it('each manifest of a stored release is read once, regardless of the number of file requests', async () => {
  const [dataset, paths] = [s.dataset(FREE), releasePaths(`${s.dir}/releases`, FREE)]
  const { id, manifest } = s.releases.current(dataset)
  const former = manifest.parts[0]!.sha256
  await s.publish(FREE, [...dataset.example.slice(1), { ...dataset.example[0]!, broker_name: '又一家' }])
  for (let day = 0; day < 80; day++) {
    const release = new Date(Date.UTC(2020, 0, 1 + day)).toISOString().replace(/[-:.]/g, '')
    const parts = manifest.parts.map(part => ({ ...part, sha256: createHash('sha256').update(release).digest('hex') }))
    await writeManifest(paths.release(release), { ...manifest, release, parts })
  }
  const key = s.keyOn('free')
  const unknown = await s.get(signedUrl(s, key, FREE, 'f'.repeat(64)))
  expect([unknown.statusCode, errorOf(unknown)]).toEqual([404, 'unknown_id'])
  await writeFile(join(paths.release(id), 'manifest.json'), 'read again')
  expect((await s.get(signedUrl(s, key, FREE, former))).statusCode).toBe(200)
})
