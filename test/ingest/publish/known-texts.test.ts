import { readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { day } from '../../fixtures/publish/rows.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { openTestWorkspace, publishRows, service, type TestService } from '../../support.ts'

const SLUG = 'institutional-positioning'
let s: TestService
let served: ReturnType<typeof stored>
beforeEach(async () => {
  s = await service({ examples: false })
  await s.publish(SLUG, [...day('2026-06-26', 1), ...day('2026-06-29', 2)])
  await s.publish(SLUG, day('2026-06-30', 3))
  served = stored(s.workspace.releases, SLUG)
})
afterEach(() => s.close())

const more = () => s.publish(SLUG, day('2026-07-01', 4))

/** Changes a digit and nothing else, so that the text still parses. */
function changeDigit(file: string): void {
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace(/(?<=\[|"rows": )[1-9]|(?<=,)[1-9](?=\])/, digit => String(Number(digit) - 1)),
  )
}

describe('a workspace that published a release itself', () => {
  it('notices that the spans on disk are not those it wrote', async () => {
    changeDigit(served.paths.spans(served.release))
    await expect(more()).rejects.toThrow(`the spans of ${served.release} are damaged`)
  })

  it('notices that the manifest on disk is not the one it wrote', async () => {
    changeDigit(served.paths.manifest(served.release))
    await expect(more()).rejects.toThrow(`the manifest of ${served.release} is damaged`)
  })

  it('builds on it as a workspace does that reads it from disk', async () => {
    await more()
    const known = stored(s.workspace.releases, SLUG)
    const other = await service({ examples: false })
    try {
      await other.publish(SLUG, [...day('2026-06-26', 1), ...day('2026-06-29', 2)])
      await other.publish(SLUG, day('2026-06-30', 3))
      const workspace = await openTestWorkspace(other.dir)
      await publishRows(workspace, other.dir, other.dataset(SLUG), day('2026-07-01', 4))
      workspace.close()
      expect(stored(other.workspace.releases, SLUG)).toMatchObject({ spansSha256: known.spansSha256, spans: known.spans })
    } finally {
      await other.close()
    }
  })
})
