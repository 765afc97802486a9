import type { Measure } from '../../catalog/index.ts'
import { isValid, type Pool } from '../engine/index.ts'
import type { Page } from '../formats/index.ts'
import type { ReadPlan } from './plan.ts'
import { selectRows } from './select-rows.ts'

/** Runs a plan. A plan without parts has no rows and asks the engine nothing. */
export async function fetchPage(plan: ReadPlan, pool: Pool): Promise<Page> {
  const { envelope } = plan.dataset
  const measured = envelope.kind === 'A' ? (envelope.measures ?? []).map(({ of }) => of) : []
  const columns = [...new Set([...plan.columns, ...measured])]
  const position = new Map(columns.map((name, index) => [name, index]))
  if (plan.parts.length === 0) return { chunks: [], rows: 0, more: false, position }
  const chunks = await pool.read(selectRows(plan, columns))
  const found = chunks.reduce((sum, { rows }) => sum + rows, 0)
  return { chunks, rows: Math.min(found, plan.limit), more: found > plan.limit && !plan.single, position }
}

/** A measure over the page's rows: distinct values in the order they appear, or how many there are. Text and date columns only. */
export function measurePage(page: Page, { of, as }: Measure): readonly string[] | number {
  const seen = new Set<string | number>()
  let left = page.rows
  for (const chunk of page.chunks) {
    const { items, valid, text } = chunk.column(page.position.get(of)!)
    for (let row = 0; row < Math.min(chunk.rows, left); row++) {
      if (isValid(valid, row)) seen.add(items instanceof Int32Array ? items[row]! : text(row))
    }
    left -= Math.min(chunk.rows, left)
  }
  return as === 'count' ? seen.size : [...seen].map(String)
}
