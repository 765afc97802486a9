import { isObject } from './content.ts'
import { agreedDay, type BodyProblem, refusedFor, statedDays } from './days.ts'
import { type Table, tablesOf } from './table.ts'

/** Which tables of a body a feed reads. */
export interface Wanted {
  /** Name of the publication, for the refusal. */
  readonly called: string
  /** Whether folded field names are those of the wanted table. */
  readonly isTable: (fields: readonly string[]) => boolean
}

/** The exchanges put a sentence in `stat` when they will not answer, for example for a day before a table began. */
function sourceProblem(value: unknown): BodyProblem | undefined {
  const stat = isObject(value) ? String(value['stat'] ?? '') : ''
  if (stat === '' || /^ok$/i.test(stat)) return undefined
  return { rule: 'source_refused', message: `The exchange answered "${stat}" instead of data; ask for what it names.` }
}

function tableProblem(tables: readonly Table[], called: string): BodyProblem {
  const titles = tables.map(({ title }) => title).filter(title => title !== '')
  const found = titles.length > 0 ? `it is "${titles.join('", "')}"` : 'no table of the body has its columns'
  return { rule: 'wrong_table', message: `This is not ${called}: ${found}. Give the file to the feed of its own table.` }
}

/**
 * The day a body is of and its wanted tables, both proven by what the body says of itself.
 *
 * @throws Refusal wrong_day or wrong_table, both named when both hold; source_refused when the exchange only gave a sentence
 */
export function identify(
  value: unknown,
  requestedDay: string | undefined,
  wanted: Wanted,
): { readonly day: string; readonly tables: readonly Table[] } {
  const all = tablesOf(value)
  const tables = all.filter(({ fields }) => wanted.isTable(fields))
  const stated = statedDays(value)
  const agreed = agreedDay(stated, requestedDay)
  const kind = sourceProblem(value) ?? (tables.length === 0 ? tableProblem(all, wanted.called) : undefined)
  if (kind !== undefined) {
    throw 'problem' in agreed && stated.length > 0 ? refusedFor(agreed.problem, kind) : refusedFor(kind)
  }
  if ('problem' in agreed) throw refusedFor(agreed.problem)
  return { day: agreed.day, tables }
}
