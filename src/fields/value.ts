import type { Field } from '../../catalog/index.ts'
import type { Found } from './fact.ts'
import type { MissingReason } from './missing.ts'

/** A value as JSON text, or why there is none. */
export type Value = { readonly text: string; readonly reason?: never } | { readonly text?: never; readonly reason: MissingReason }

/** @param minimal the value alone, without what it is and where it is from */
export function answerOf(field: Field, answer: Found | MissingReason, minimal: boolean): Value {
  if (typeof answer === 'string') return { reason: answer }
  const { facts, release } = answer
  const { view, columnName, column, dataset } = field
  const [fact] = facts
  const text = view.many === 'list' ? `[${facts.map(({ cells }) => cells[columnName]).join(',')}]` : fact!.cells[columnName]!
  if (text === 'null') return { reason: 'no_value' }
  if (minimal) return { text }
  const said = {
    unit: column.unit ?? null,
    as_of_date: fact!.day ?? release.manifest.data_as_of,
    period: fact!.period,
    announced_at: fact!.announced,
    dataset: dataset.id,
    source_role: fact!.role,
    release_version: release.id,
  }
  return { text: `{"value":${text},${JSON.stringify(said).slice(1)}` }
}
