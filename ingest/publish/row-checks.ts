import { type Dataset, virtualColumns } from '../../catalog/index.ts'
import { addDays, taipeiDay } from '../../src/core/index.ts'
import { literal, quote } from '../../src/engine/index.ts'
import type { Batch, BatchFault } from './batch.ts'
import { list, type Relation } from './relations.ts'
import type { GivenColumns } from './type-columns.ts'
import type { Workspace } from './workspace.ts'

interface Check {
  readonly rule: string
  readonly column: string | null
  /** SELECT of `_source` and a JSON `sample` for every row at fault. */
  readonly broken: (incoming: Relation) => string
  readonly message: string
}

/**
 * Faults of the typed rows, source by source: nulls, duplicate grains, the dataset's own rules, impossible days.
 *
 * @param derive whether derived columns are computed here, and so are still absent
 */
export async function checkRows(
  { session, clock }: Workspace,
  { dataset, accept }: Batch,
  incoming: Relation,
  derive: boolean,
  given: GivenColumns,
): Promise<readonly BatchFault[]> {
  const checks = [
    ...keyChecks(dataset),
    ...nullChecks(dataset, derive),
    grainCheck(dataset),
    ...ruleChecks(dataset),
    ...virtualChecks(dataset, given),
    ...dayChecks(dataset, taipeiDay(clock())),
  ]
  const wanted = checks.filter(({ rule }) => !accept.includes(rule))
  const query = wanted.map(
    ({ broken }, index) =>
      `SELECT ${index} AS check_index, "_source" AS source, count(*)::INTEGER AS count, to_json(list(sample)[:5])::VARCHAR AS samples FROM (${broken(incoming)}) GROUP BY 2`,
  )
  return (await session.rows(query.join(' UNION ALL '))).map(row => {
    const { rule, column, message } = wanted[Number(row['check_index'])]!
    return {
      rule,
      column,
      message,
      source: Number(row['source']),
      count: Number(row['count']),
      samples: JSON.parse(String(row['samples'])) as unknown[],
    }
  })
}

const sampleOf = (names: readonly string[]): string => `to_json({${names.map(name => `'${name}': ${quote(name)}::VARCHAR`).join(', ')}})`

function nullChecks({ columns, grain }: Dataset, derive: boolean): readonly Check[] {
  return Object.entries(columns)
    .filter(([, { nullable, derived, virtual }]) => !nullable && virtual === undefined && (derived === undefined || !derive))
    .map(([name]) => ({
      rule: 'null',
      column: name,
      broken: incoming => `SELECT "_source", ${sampleOf(grain)} AS sample FROM ${incoming} WHERE ${quote(name)} IS NULL`,
      message: `${name} may not be absent; mend the rows or leave them out.`,
    }))
}

function grainCheck({ grain }: Dataset): Check {
  const same = grain.map(name => `i.${quote(name)} IS NOT DISTINCT FROM d.${quote(name)}`).join(' AND ')
  return {
    rule: 'grain',
    column: null,
    // Counts alone are grouped: the engine puts those on disk where they outgrow memory, and lists it does not.
    broken: incoming =>
      `SELECT DISTINCT "_source", ${sampleOf(grain)} AS sample FROM ${incoming} AS i
       WHERE EXISTS (SELECT 1 FROM (SELECT ${list(grain)} FROM ${incoming} GROUP BY ${list(grain)} HAVING count(*) > 1) AS d WHERE ${same})`,
    message: `Two rows share ${grain.join(', ')}; keep the one that is right.`,
  }
}

function ruleChecks({ rules = [], grain }: Dataset): readonly Check[] {
  return rules.map(({ name, holds, doc }) => ({
    rule: name,
    column: null,
    broken: incoming => `SELECT "_source", ${sampleOf(grain)} AS sample FROM ${incoming} WHERE NOT coalesce(${holds}, true)`,
    message: `The rows break a rule of the dataset: ${doc}`,
  }))
}

/** A column that reads compute may be given, and must then say what reads will. */
const virtualChecks = (dataset: Dataset, given: GivenColumns): readonly Check[] =>
  virtualColumns(dataset)
    .filter(([name]) => given.has(name))
    .map(([name, expression]) => ({
      rule: 'virtual_column',
      column: name,
      broken: incoming =>
        `SELECT "_source", ${sampleOf([...dataset.grain, name])} AS sample FROM ${incoming} WHERE ${quote(name)} IS DISTINCT FROM (${expression})`,
      message: `${name} is computed from other columns and says something else there; mend the rows or leave it out.`,
    }))

/** Keys that no read could ask for: with blanks around them, or in lower case where codes are upper case. */
function keyChecks({ key, filters, grain }: Dataset): readonly Check[] {
  return Object.values(filters)
    .filter(({ column, pattern, op }) => column === key && pattern !== undefined && (op === 'eq' || op === 'in'))
    .map(({ pattern, fold, example }) => ({
      rule: 'key_shape',
      column: key!,
      broken: incoming =>
        `SELECT "_source", ${sampleOf(grain)} AS sample FROM ${incoming} WHERE NOT (regexp_full_match(${quote(key!)}, ${literal(pattern!)})${fold === 'upper' ? ` AND ${quote(key!)} = upper(${quote(key!)})` : ''})`,
      message: `${key} must look like ${example ?? pattern}${fold === 'upper' ? ', in upper case' : ''}; no read could ask for it otherwise.`,
    }))
}

/** Days in the future, beyond how far ahead the dataset's schedules are announced, and days before 1900. */
function dayChecks({ date, listedOn, grain, daysAhead = 1 }: Dataset, today: string): readonly Check[] {
  const day = date === undefined ? listedOn : quote(date)
  if (day === undefined) return []
  const [called, shown] = date === undefined ? ['The day of the list', grain] : [date, [...new Set([...grain, date])]]
  const check = (rule: string, where: string, message: string): Check => ({
    rule,
    column: date ?? null,
    broken: incoming => `SELECT "_source", ${sampleOf(shown)} AS sample FROM ${incoming} WHERE ${where}`,
    message,
  })
  return [
    check(
      'future_date',
      `${day} > DATE '${addDays(today, daysAhead)}'`,
      `${called} lies ${daysAhead > 1 ? `more than ${daysAhead} days ` : ''}in the future; check the year and the calendar (ROC years are Western years less 1911).`,
    ),
    check(
      'ancient_date',
      `${day} < DATE '1900-01-01'`,
      `${called} lies before 1900; check the year and the calendar (ROC years are Western years less 1911).`,
    ),
  ]
}
