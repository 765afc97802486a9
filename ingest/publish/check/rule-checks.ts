import { type Dataset, type RowRule, ruleColumns, type Severity, storedColumns } from '../../../catalog/index.ts'
import type { Words } from '../../../src/core/index.ts'
import { literal, quote } from '../../../src/engine/index.ts'
import { readParts, type ServedReleases, soundParts } from '../write/parent.ts'
import type { Workspace } from '../write/workspace.ts'
import type { Batch } from './batch.ts'
import { createTable } from './relations.ts'

/** A rule of the dataset, as SQL over typed rows. */
export interface RuleCheck {
  readonly rule: string
  /** Null if the rule is about several columns. */
  readonly column: string | null
  /** True for a faulty row. Null counts as false. */
  readonly where: string
  readonly shown: readonly string[]
  readonly severity: Severity
  readonly message: string
  readonly message_zh: string
}

/**
 * Returns the rules for this batch. Skips references to a dataset without a release, and
 * references from real rows to samples.
 */
export async function ruleChecks(workspace: Workspace, batch: Batch, served: ServedReleases): Promise<readonly RuleCheck[]> {
  const checks: RuleCheck[] = []
  for (const [index, rule] of (batch.dataset.rules ?? []).entries()) {
    const broken = 'on' in rule ? await unlisted(workspace, batch, rule, served, index) : brokenBy(batch.dataset, rule)
    if (broken === undefined) continue
    const [where, prefix] = broken
    const named = ruleColumns(rule)
    const next = NEXT[rule.severity ?? 'error'](rule.name)
    checks.push({
      rule: rule.name,
      column: 'column' in rule && typeof rule.column === 'string' ? rule.column : null,
      where,
      shown: [...new Set([...batch.dataset.grain, ...(named.length > 0 ? named : mentioned(batch.dataset, rule))])],
      severity: rule.severity ?? 'error',
      message: `${prefix.en}${rule.doc} ${next.en}`,
      message_zh: `${prefix.zh}${rule.docZh}${next.zh}`,
    })
  }
  return checks
}

const NEXT: Readonly<Record<Severity, (name: string) => Words>> = {
  error: () => ({ en: 'Fix the rows or remove them.', zh: '請修正資料列或將其移除。' }),
  acceptable: name => ({
    en: `Fix the rows, or pass --accept ${name} if they are correct.`,
    zh: `請修正資料列；若資料正確，請以 --accept ${name} 放行。`,
  }),
  warning: () => ({ en: 'The rows are published. Check them.', zh: '這些資料列仍會發布，請檢查。' }),
}

type Broken = readonly [where: string, said: Words]

/** Returns a condition for faulty rows, and the start of the message. */
function brokenBy({ columns }: Dataset, rule: Exclude<RowRule, { on: unknown }>): Broken {
  if ('holds' in rule)
    return [`NOT coalesce(${rule.holds}, true)`, { en: 'Rows break a rule of the dataset: ', zh: '資料列違反資料集的規則：' }]
  if ('sum' in rule) {
    const within = withinOf(rule.tolerance ?? 0)
    const prefix = {
      en: `${rule.column} differs from ${termsOf(rule)}${within.en}: `,
      zh: `${rule.column} 不等於 ${termsOf(rule)}${within.zh}：`,
    }
    return [notTheSum(rule), prefix]
  }
  if ('equals' in rule) {
    const off = `abs(${quote(rule.column)} - (${rule.equals}))`
    const within = withinOf(rule.tolerance)
    const prefix = {
      en: `${rule.column} differs from its formula${within.en}: `,
      zh: `${rule.column} 與公式的結果不符${within.zh}：`,
    }
    return [`NOT coalesce(${off} <= ${rule.tolerance}, true)`, prefix]
  }
  if ('values' in rule) {
    const values = rule.values.map(valueSql)
    const prefix = {
      en: `${rule.column} must be one of ${rule.values.join(', ')}: `,
      zh: `${rule.column} 必須為 ${rule.values.join('、')} 之一：`,
    }
    return [`${quote(rule.column)} NOT IN (${values.join(', ')})`, prefix]
  }
  if ('pattern' in rule) {
    const where = `NOT regexp_full_match(${quote(rule.column)}, ${literal(rule.pattern)})`
    return [where, { en: `${rule.column} must match ${rule.pattern}: `, zh: `${rule.column} 必須符合 ${rule.pattern}：` }]
  }
  const bounded = typeof rule.column === 'string' ? [rule.column] : rule.column
  const bounds = BOUNDS.flatMap(({ name, outside, said }) => (rule[name] === undefined ? [] : [{ outside, said, bound: rule[name] }]))
  const outside = bounded.flatMap(name =>
    bounds.map(({ outside, bound }) => `${quote(name)} ${outside} ${columns[name]!.type === 'date' ? 'DATE ' : ''}${valueSql(bound)}`),
  )
  const en = bounds.map(({ said, bound }) => `${said.en} ${bound}`).join(' and ')
  const zh = bounds.map(({ said, bound }) => `${said.zh} ${bound}`).join(' 且')
  return [outside.join(' OR '), { en: `${bounded.join(', ')} must be ${en}: `, zh: `${bounded.join('、')} 必須${zh}：` }]
}

const BOUNDS = [
  { name: 'min', outside: '<', said: { en: 'at least', zh: '不小於' } },
  { name: 'above', outside: '<=', said: { en: 'more than', zh: '大於' } },
  { name: 'max', outside: '>', said: { en: 'at most', zh: '不大於' } },
  { name: 'below', outside: '>=', said: { en: 'less than', zh: '小於' } },
] as const

const valueSql = (value: string | number): string => (typeof value === 'number' ? String(value) : literal(value))

const withinOf = (tolerance: number): Words =>
  tolerance === 0 ? { en: '', zh: '' } : { en: ` by more than ${tolerance}`, zh: `（容許差異 ${tolerance}）` }

type Sum = Extract<RowRule, { readonly sum: unknown }>

const termsOf = ({ sum, less = [] }: Sum): string => [sum.join(' + '), ...less].join(' - ')

/**
 * Returns SQL that is true if a column differs from a sum. Floating-point results are exact for
 * whole numbers. Differences other than 0 are computed again in decimals.
 */
function notTheSum({ column, sum, less = [], tolerance = 0 }: Sum): string {
  const difference = (cell: (name: string) => string): string => {
    const terms = [...sum.map(name => ` - ${cell(name)}`), ...less.map(name => ` + ${cell(name)}`)]
    return `${cell(column)}${terms.join('')}`
  }
  const inDecimals = difference(name => `TRY_CAST(${quote(name)}::VARCHAR AS DECIMAL(38, 12))`)
  const off = difference(quote)
  // CASE, because the engine evaluates both sides of an AND for each row.
  return `CASE WHEN (${off}) <> 0 THEN NOT coalesce(abs(${inDecimals}) <= ${literal(String(tolerance))}::DECIMAL(38, 12), false) ELSE false END`
}

function mentioned(dataset: Dataset, rule: RowRule): readonly string[] {
  const sql = 'holds' in rule ? rule.holds : ''
  return storedColumns(dataset).filter(name => new RegExp(`\\b${name}\\b`).test(sql))
}

type Reference = Extract<RowRule, { readonly on: unknown }>

/** Finds values that another dataset lacks. Undefined if there is no release. */
async function unlisted(
  workspace: Workspace,
  { synthetic }: Batch,
  { dataset: slug, on, since }: Reference,
  served: ServedReleases,
  index: number,
): Promise<Broken | undefined> {
  const other = await served.alike(slug, synthetic)
  const parts = other?.manifest.parts ?? []
  // A damaged part may contain the values that seem to be missing.
  if (!other || parts.length === 0 || (await soundParts(other, parts)).length < parts.length) return undefined
  const pairs = Object.entries(on)
  // Without an alias, the name would refer to the batch's column.
  const taken = pairs.map(([theirs], at) => `${quote(theirs)} AS "_${at}"`)
  const listed = await createTable(
    workspace.session,
    `listed${index}`,
    `SELECT DISTINCT ${taken.join(', ')} FROM ${await readParts(other, parts)}`,
  )
  const present = pairs.map(([, ours]) => `${quote(ours)} IS NOT NULL`)
  const young = since === undefined ? [] : [`${quote(since)} >= DATE ${literal(other.manifest.data_as_of)}`]
  const same = pairs.map(([, ours], at) => `"_${at}" = ${quote(ours)}`)
  const where = [...present, ...young, `NOT EXISTS (SELECT 1 FROM ${listed} WHERE ${same.join(' AND ')})`]
  const [names, { release }] = [pairs.map(([, ours]) => ours), other.manifest]
  const prefix = {
    en: `${names.join(', ')} is not in ${slug} (release ${release}): `,
    zh: `${names.join('、')} 不在 ${slug}（版本 ${release}）之中：`,
  }
  return [where.join(' AND '), prefix]
}
