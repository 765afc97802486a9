import { afterEach, beforeEach, expect, it } from 'vitest'
import { createVerifier } from '../../src/releases/index.ts'
import { day } from '../fixtures/publish/rows.ts'
import { flipBit } from '../fixtures/releases/flip-bit.ts'
import { publishRows, service, type TestService } from '../support.ts'

const SLUG = 'institutional-positioning'
let s: TestService

beforeEach(async () => {
  s = await service({ examples: false, inMemory: false })
  await publishRows(s.workspace, s.dir, s.dataset(SLUG), day('2026-06-30', 3))
  await s.releases.refresh()
})
afterEach(() => s.close())

it('a part that is found damaged during a slow hash stays marked as damaged, even if the hash matches', async () => {
  const release = s.releases.current(s.dataset(SLUG))
  const verifier = createVerifier(s.workspace.releases)
  expect(await verifier.check(release)).toBeUndefined()
  const [part] = [...verifier.valid()]
  const bytesRead = Promise.withResolvers<string>()
  const slow = verifier.verifyAgain(part!, () => bytesRead.promise)
  flipBit(part!.file, 400)
  const damage = { reason: expect.stringContaining('does not match its sha256') }
  expect(await verifier.recheck()(release)).toMatchObject(damage)
  bytesRead.resolve(part!.part.sha256)
  expect(await slow).toBe('damaged')
  expect(await verifier.check(release)).toMatchObject(damage)
})
