import { type Dataset, type RowRule, ruleColumns, type Severity, storedColumns } from '../../catalog/index.ts'
import { literal, quote } from '../../src/engine/index.ts'
import type { Batch } from './batch.ts'
import { readParts, type ServedReleases, soundParts } from './parent.ts'
import { createTable } from './relations.ts'
import type { Workspace } from './workspace.ts'

/** A rule of the dataset as SQL over the typed rows. */
export interface RuleCheck {
  readonly rule: string
  /** The column at fault, where it is one. */
  readonly column: string | null
  /** True for a row at fault; null counts as false. */
  readonly where: string
  /** Columns that samples of such rows show. */
  readonly shown: readonly string[]
  readonly severity: Severity
  readonly message: string
}

/** The rules that this batch can be held to: a reference to a dataset without a release, or with samples beside real rows, is left out. */
export async function ruleChecks(workspace: Workspace, batch: Batch, served: ServedReleases): Promise<readonly RuleCheck[]> {
  const checks: RuleCheck[] = []
  for (const [index, rule] of (batch.dataset.rules ?? []).entries()) {
    const broken = 'on' in rule ? await unlisted(workspace, batch, rule, served, index) : brokenBy(batch.dataset, rule)
    if (broken === undefined) continue
    const [where, said] = broken
    const named = ruleColumns(rule)
    checks.push({
      rule: rule.name,
      column: 'column' in rule && typeof rule.column === 'string' ? rule.column : null,
      where,
      shown: [...new Set([...batch.dataset.grain, ...(named.length > 0 ? named : mentioned(batch.dataset, rule))])],
      severity: rule.severity ?? 'error',
      message: `${said}${rule.doc} ${NEXT[rule.severity ?? 'error'](rule.name)}`,
    })
  }
  return checks
}

/** What to do about rows at fault. */
const NEXT: Readonly<Record<Severity, (name: string) => string>> = {
  error: () => 'Mend the rows or leave them out.',
  acceptable: name => `Mend the rows, or pass --accept ${name} if they are right.`,
  warning: () => 'They are published all the same; look at them.',
}

type Broken = readonly [where: string, said: string]

/** Rows at fault as SQL, and what is said of them before the rule's own words. */
function brokenBy({ columns }: Dataset, rule: Exclude<RowRule, { on: unknown }>): Broken {
  if ('holds' in rule) return [`NOT coalesce(${rule.holds}, true)`, 'The rows break a rule of the dataset: ']
  if ('sum' in rule) return [notTheSum(rule), `${rule.column} is not ${termsOf(rule)}${within(rule.tolerance ?? 0)}: `]
  if ('equals' in rule) {
    const off = `abs(${quote(rule.column)} - (${rule.equals}))`
    return [`NOT coalesce(${off} <= ${rule.tolerance}, true)`, `${rule.column} is not what its formula gives${within(rule.tolerance)}: `]
  }
  if ('values' in rule) {
    const values = rule.values.map(valueSql)
    return [`${quote(rule.column)} NOT IN (${values.join(', ')})`, `${rule.column} must be one of ${rule.values.join(', ')}: `]
  }
  if ('pattern' in rule) {
    const where = `NOT regexp_full_match(${quote(rule.column)}, ${literal(rule.pattern)})`
    return [where, `${rule.column} must look like ${rule.pattern}: `]
  }
  const bounded = typeof rule.column === 'string' ? [rule.column] : rule.column
  const bounds = BOUNDS.flatMap(({ name, outside, said }) => (rule[name] === undefined ? [] : [{ outside, said, bound: rule[name] }]))
  const outside = bounded.flatMap(name =>
    bounds.map(({ outside, bound }) => `${quote(name)} ${outside} ${columns[name]!.type === 'date' ? 'DATE ' : ''}${valueSql(bound)}`),
  )
  const said = bounds.map(({ said, bound }) => `${said} ${bound}`).join(' and ')
  return [outside.join(' OR '), `${bounded.join(', ')} must be ${said}: `]
}

const BOUNDS = [
  { name: 'min', outside: '<', said: 'at least' },
  { name: 'above', outside: '<=', said: 'more than' },
  { name: 'max', outside: '>', said: 'at most' },
  { name: 'below', outside: '>=', said: 'less than' },
] as const

const valueSql = (value: string | number): string => (typeof value === 'number' ? String(value) : literal(value))

const within = (tolerance: number): string => (tolerance === 0 ? '' : ` within ${tolerance}`)

type Sum = Extract<RowRule, { readonly sum: unknown }>

const termsOf = ({ sum, less = [] }: Sum): string => [sum.join(' + '), ...less].join(' - ')

/** The difference is taken in floating point first, which is exact for whole numbers; only where it is not 0, in decimals. */
function notTheSum({ column, sum, less = [], tolerance = 0 }: Sum): string {
  const difference = (cell: (name: string) => string): string => {
    const terms = [...sum.map(name => ` - ${cell(name)}`), ...less.map(name => ` + ${cell(name)}`)]
    return `${cell(column)}${terms.join('')}`
  }
  const inDecimals = difference(name => `TRY_CAST(${quote(name)}::VARCHAR AS DECIMAL(38, 12))`)
  const off = difference(quote)
  // The engine takes both sides of an AND for every row, those of a CASE only where it gets there.
  return `CASE WHEN (${off}) <> 0 THEN NOT coalesce(abs(${inDecimals}) <= ${literal(String(tolerance))}::DECIMAL(38, 12), false) ELSE false END`
}

/** Columns that a rule in SQL mentions. */
function mentioned(dataset: Dataset, rule: RowRule): readonly string[] {
  const sql = 'holds' in rule ? rule.holds : ''
  return storedColumns(dataset).filter(name => new RegExp(`\\b${name}\\b`).test(sql))
}

type Reference = Extract<RowRule, { readonly on: unknown }>

/** Rows whose values the served release of the other dataset does not have; undefined where there is nothing to compare with. */
async function unlisted(
  workspace: Workspace,
  { synthetic }: Batch,
  { dataset: slug, on, since }: Reference,
  served: ServedReleases,
  index: number,
): Promise<Broken | undefined> {
  const other = await served.alike(slug, synthetic)
  const parts = other?.manifest.parts ?? []
  // What a damaged part held is unknown, so nothing can be said to be missing from it.
  if (!other || parts.length === 0 || (await soundParts(other, parts)).length < parts.length) return undefined
  const pairs = Object.entries(on)
  // Columns of its own names: a name of the batch would otherwise mean the other dataset's.
  const taken = pairs.map(([theirs], at) => `${quote(theirs)} AS "_${at}"`)
  const listed = await createTable(
    workspace.session,
    `listed${index}`,
    `SELECT DISTINCT ${taken.join(', ')} FROM ${await readParts(other, parts)}`,
  )
  const given = pairs.map(([, ours]) => `${quote(ours)} IS NOT NULL`)
  const young = since === undefined ? [] : [`${quote(since)} >= DATE ${literal(other.manifest.data_as_of)}`]
  const same = pairs.map(([, ours], at) => `"_${at}" = ${quote(ours)}`)
  const where = [...given, ...young, `NOT EXISTS (SELECT 1 FROM ${listed} WHERE ${same.join(' AND ')})`]
  return [where.join(' AND '), `${pairs.map(([, ours]) => ours).join(', ')} is not in ${slug} (release ${other.manifest.release}): `]
}
