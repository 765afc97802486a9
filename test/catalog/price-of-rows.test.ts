import { describe, expect, it } from 'vitest'
import { creditsOfRows, loadCatalog, PLAN_IDS, PLANS, served } from '../../catalog/index.ts'

const catalog = await loadCatalog()

/** Credits of reading rows one answer after another, each as large as the plan takes. */
function creditsOfPages(credits: number, most: number, rows: number): number {
  let paid = credits
  for (let left = rows - most; left > 0; left -= most) paid += credits
  return paid
}

describe('rows handed over as files', () => {
  it('cost what the same rows cost in full answers, on every plan and of every dataset', () => {
    for (const dataset of served(catalog))
      for (const plan of PLAN_IDS) {
        const { rowLimit } = PLANS[plan]
        for (const rows of [0, 1, rowLimit - 1, rowLimit, rowLimit + 1, 7 * rowLimit, 26_000])
          expect(creditsOfRows(dataset, plan, rows)).toBe(creditsOfPages(dataset.access!.credits, rowLimit, rows))
      }
  })
})
