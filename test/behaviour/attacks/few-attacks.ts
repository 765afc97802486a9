import { rm } from 'node:fs/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { examples } from '../../fixtures/publish/examples.ts'
import { dataFolder } from '../../support.ts'
import { loadCases, runCase, tableOf } from './campaign.ts'

/** Enough to see that a case runs and finds what it looks for; `npm run hostile` makes the whole campaign. */
const SCALE = 0.005

/** Tests that make a few attacks of each case with such an id. */
export async function fewAttacks(ids: RegExp): Promise<void> {
  const { dir: root } = await dataFolder()
  const cases = (await loadCases()).filter(({ id }) => ids.test(id))
  afterAll(() => rm(root, { recursive: true, force: true }))

  describe('attack campaign, a few attempts each', () => {
    it.each(cases)(
      '$id $tries: $holds',
      async one => {
        const ran = await runCase(one, root, { scale: SCALE, examples: await examples(), say: () => {} })
        expect(ran.outcome.failures).toEqual([])
        expect(ran.outcome.tries > 0 || ran.outcome.skipped !== undefined).toBe(true)
        expect(tableOf([ran])).toContain(`| ${one.id} |`)
        // A case that hangs says so itself, sooner.
      },
      300_000,
    )
  })
}
