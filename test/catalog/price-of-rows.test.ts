import { expect, it } from 'vitest'
import { creditsOfRows, loadCatalog, PLAN_IDS, PLANS, served } from '../../catalog/index.ts'

const catalog = await loadCatalog()

/** Price in credits of reading rows page by page, with the plan's maximum page size. */
function creditsOfPages(credits: number, pageRows: number, rows: number): number {
  let paid = credits
  for (let left = rows - pageRows; left > 0; left -= pageRows) paid += credits
  return paid
}

it('files of rows cost the same credits as full pages of the same rows, on every plan and for every dataset', () => {
  for (const dataset of served(catalog))
    for (const plan of PLAN_IDS) {
      const { rowLimit } = PLANS[plan]
      for (const rows of [0, 1, rowLimit - 1, rowLimit, rowLimit + 1, 7 * rowLimit, 26_000])
        expect
          .soft(creditsOfRows(dataset, plan, rows), `${dataset.slug}, ${plan}, ${rows} rows`)
          .toBe(creditsOfPages(dataset.access!.credits, rowLimit, rows))
    }
})
