import { closeSync, openSync, readSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openWorkspace } from '../../../ingest/publish/index.ts'
import { body, EMPTY, ingest, t86Body } from '../../fixtures/ingest/bodies.ts'
import { service, type TestService } from '../../support.ts'

let s: TestService
beforeEach(async () => {
  s = await service({ examples: false })
})
afterEach(() => s.close())

const day = (date: string, bought: number) => body(s, `${date}.json`, t86Body(date, { '2330': [bought, 0, 0], '1101': [-bought, 0, 0] }))

function endOf(file: string): string {
  const { size } = statSync(file)
  const [handle, bytes] = [openSync(file, 'r'), Buffer.alloc(1_000)]
  readSync(handle, bytes, 0, 1_000, size - 1_000)
  closeSync(handle)
  return bytes.toString()
}

it('a journal of captures is appended to without being read, however long it has become', async () => {
  const file = join(s.workspace.captures, 'twse-t86.ndjson')
  await ingest(s, 'twse-t86', [day('2026-06-22', 1)])
  truncateSync(file, 3 * 2 ** 30)
  const { results } = await ingest(s, 'twse-t86', [day('2026-06-23', 2)])
  expect(results.map(({ outcome }) => outcome)).toEqual(['published'])
  expect(JSON.parse(endOf(file).split('\n').at(-2)!)).toMatchObject({ date: '2026-06-23', outcome: 'published' })
})

it('a day for which a source had no rows is remembered, in this workspace and in the next', async () => {
  const empty = (date: string) => ingest(s, 'twse-t86', [body(s, `empty-${date}.json`, EMPTY)], { requestedDay: date })
  await ingest(s, 'twse-t86', [day('2026-06-22', 1)])
  expect((await empty('2026-06-20')).results).toMatchObject([{ outcome: 'empty', date: '2026-06-20' }])
  expect([...s.workspace.journal.emptyDays('twse-t86')]).toEqual(['2026-06-20'])
  const next = await openWorkspace(s.dir)
  expect([...next.journal.emptyDays('twse-t86')]).toEqual(['2026-06-20'])
  next.close()
})
