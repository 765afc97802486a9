import { rm } from 'node:fs/promises'
import { afterAll, expect, it } from 'vitest'
import { examples } from '../../fixtures/publish/examples.ts'
import { dataFolder } from '../../support.ts'
import { loadCases, runCase, tableOf } from './campaign.ts'

/** Scale of a short run of each case; `npm run hostile` runs the whole campaign. */
const SCALE = 0.005

/** Registers a short run of each case with a matching id. */
export async function fewAttacks(ids: RegExp): Promise<void> {
  const { dir: root } = await dataFolder()
  const cases = (await loadCases()).filter(({ id }) => ids.test(id))
  afterAll(() => rm(root, { recursive: true, force: true }))

  it.each(cases)(
    '$id: $holds',
    async hostileCase => {
      const ran = await runCase(hostileCase, root, { scale: SCALE, examples: await examples(), say: () => {} })
      expect(ran.outcome.failures).toEqual([])
      expect(ran.outcome.tries > 0 || ran.outcome.skipped !== undefined).toBe(true)
      expect(tableOf([ran])).toContain(`| ${hostileCase.id} |`)
      // A case that hangs is reported before this timeout.
    },
    300_000,
  )
}
