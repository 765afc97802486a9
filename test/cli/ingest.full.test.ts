import { writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { twmd } from '../fixtures/cli/in-process.ts'
import { t86Body } from '../fixtures/ingest/bodies.ts'
import { calendarFolder } from './calendar-folder.ts'

let dir: string
beforeEach(async () => {
  dir = await calendarFolder()
})
afterEach(() => rm(dir, { recursive: true, force: true }))

function body(name: string, content: string): string {
  const file = join(dir, name)
  writeFileSync(file, content)
  return file
}
const good = (day: string, seed: number) => body(`${day}.json`, t86Body(day, { '2330': [seed, 0, 0], '0050': [0, seed, 0] }))

it('twmd ingest --accept publishes a file that breaks the named rule', async () => {
  const days = ['2026-06-22', '2026-06-23', '2026-06-24', '2026-06-25', '2026-06-26'].map((day, index) => good(day, index + 1))
  await twmd(dir, 'ingest', 'twse-t86', ...days)
  const short = body('short.json', t86Body('2026-06-29', { '2330': [9, 0, 0] }))
  expect(await twmd(dir, 'ingest', 'twse-t86', short)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^refused .*--accept row_count_drift.*\n.*stored with its report in \S+\n$/),
  })
  expect(await twmd(dir, 'ingest', 'twse-t86', short, '--accept', 'row_count_drift')).toMatchObject({ code: 0 })
})
