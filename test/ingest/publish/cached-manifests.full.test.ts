import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { day } from '../../fixtures/publish/rows.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { dataFolder, openTestWorkspace, publishRows } from '../../support.ts'
import { type Publisher, publisher } from './publisher.ts'

const SLUG = 'institutional-positioning'
let s: Publisher
let served: ReturnType<typeof stored>
beforeAll(async () => {
  s = await publisher()
  await s.publish(SLUG, [...day('2026-06-26', 1), ...day('2026-06-29', 2)])
  await s.publish(SLUG, day('2026-06-30', 3))
  served = stored(s.workspace.releases, SLUG)
})
afterAll(() => s.close())

it.each(['spans', 'manifest'] as const)('a workspace detects that the %s it wrote changed on disk', async name => {
  const file = served.paths[name](served.release)
  const text = readFileSync(file, 'utf8')
  // Changes only a digit, so that the text still parses.
  writeFileSync(
    file,
    text.replace(/(?<=\[|"rows": )[1-9]|(?<=,)[1-9](?=\])/, digit => String(Number(digit) - 1)),
  )
  await expect(s.publish(SLUG, day('2026-07-01', 4))).rejects.toThrow(new RegExp(`the ${name} of ${served.release} (is|are) damaged`))
  writeFileSync(file, text)
})

it('a publication makes the same release whether its workspace published the parent or read it from disk', async () => {
  const { dir, remove } = await dataFolder()
  cpSync(join(s.dir, 'releases'), join(dir, 'releases'), { recursive: true })
  const other = await openTestWorkspace(dir)
  await publishRows(other, dir, s.dataset(SLUG), day('2026-07-01', 4))
  const read = stored(other.releases, SLUG)
  other.close()
  await remove()
  await s.publish(SLUG, day('2026-07-01', 4))
  const { spans, spansSha256 } = stored(s.workspace.releases, SLUG)
  expect([spans, spansSha256]).toEqual([read.spans, read.spansSha256])
})
