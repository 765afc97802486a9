import { type Dataset, virtualColumns } from '../../../catalog/index.ts'
import { addDays, taipeiDay, type Words } from '../../../src/core/index.ts'
import { literal, quote, type Session } from '../../../src/engine/index.ts'
import type { Workspace } from '../write/workspace.ts'
import { type Batch, type BatchFault, MOST_SAMPLES, rowAt } from './batch.ts'
import { list, type Relation, whereAny } from './relations.ts'
import { type RuleCheck, ruleChecks } from './rule-checks.ts'
import type { Basis } from './served-basis.ts'
import type { GivenColumns } from './type-columns.ts'

type Check = Omit<RuleCheck, 'severity'> & Partial<Pick<RuleCheck, 'severity'>>

export interface RowFindings {
  readonly faults: readonly BatchFault[]
  readonly notices: readonly BatchFault[]
}

/**
 * Returns faults of the typed rows: nulls, duplicates, broken rules, impossible days.
 *
 * @param basis with `derive`, null derived columns are no faults, because they are computed later
 */
export async function checkRows(
  workspace: Workspace,
  batch: Batch,
  incoming: Relation,
  { derive, given, served }: Pick<Basis, 'derive' | 'given' | 'served'>,
): Promise<RowFindings> {
  const { session, clock } = workspace
  const { dataset, accept } = batch
  const isWanted = ({ rule }: Pick<Check, 'rule'>): boolean => !accept.includes(rule)
  const first = [...keyChecks(dataset), ...nullChecks(dataset, derive)].filter(isWanted)
  const rules = await ruleChecks(workspace, batch, served)
  const rest = [...rules, ...virtualChecks(dataset, given), ...dayChecks(dataset, taipeiDay(clock()))].filter(isWanted)
  const met = new Set(await whereAny(session, incoming, [...first, ...rest], ({ where }) => where))
  const grain = isWanted({ rule: GRAIN }) && (await repeatsGrain(session, dataset, incoming)) ? [repeatedGrain(dataset, incoming)] : []
  const brokenBy = (checks: readonly Check[]): readonly Broken[] =>
    checks
      .filter(check => met.has(check))
      .map(check => ({
        ...check,
        rows: `SELECT ${placeOf('i')}, ${sampleOf(check.shown)} AS sample FROM ${incoming} AS i WHERE ${check.where}`,
      }))
  const broken = [...brokenBy(first), ...grain, ...brokenBy(rest)]
  if (broken.length === 0) return { faults: [], notices: [] }
  const query = broken.map(
    ({ rows }, index) =>
      `SELECT ${index} AS check_index, "_source" AS source, count(*)::INTEGER AS count, to_json(arg_min({'at': "_at", 'sample': sample}, "_at", ${MOST_SAMPLES}))::VARCHAR AS samples FROM (${rows}) GROUP BY 2`,
  )
  const found = (await session.rows(query.join(' UNION ALL '))).map(row => {
    const { rule, column, message, message_zh, severity } = broken[Number(row['check_index'])]!
    const source = Number(row['source'])
    const samples = (JSON.parse(String(row['samples'])) as readonly Placed[]).map(({ at, sample }) => ({
      ...rowAt(batch, source, at),
      ...sample,
    }))
    return { severity, fault: { rule, column, message, message_zh, source, count: Number(row['count']), samples } }
  })
  const faultsOf = (isNotice: boolean) => found.filter(({ severity }) => (severity === 'warning') === isNotice).map(({ fault }) => fault)
  return { faults: faultsOf(false), notices: faultsOf(true) }
}

interface Broken extends Pick<Check, 'rule' | 'column' | 'message' | 'message_zh' | 'severity'> {
  /** SELECT of `_source`, `_at` and `sample` for each faulty row. */
  readonly rows: string
}

type Sample = Readonly<Record<string, string | null>>

interface Placed {
  readonly at: number
  readonly sample: Sample
}

/**
 * Returns SQL of a row's source and position. The row id is the position, because no row was
 * deleted.
 */
const placeOf = (table: string): string => `${table}."_source", ${table}.rowid AS "_at"`

const sampleOf = (names: readonly string[], alias = 'i'): string =>
  `{${names.map(name => `${literal(name)}: ${alias}.${quote(name)}::VARCHAR`).join(', ')}}`

function nullChecks({ columns, grain }: Dataset, derive: boolean): readonly Check[] {
  return Object.entries(columns)
    .filter(([, { nullable, derived, virtual }]) => !nullable && virtual === undefined && (derived === undefined || !derive))
    .map(([name]) => ({
      rule: 'null',
      column: name,
      where: `${quote(name)} IS NULL`,
      shown: grain,
      message: `${name} may not be empty. Fix the rows or remove them.`,
      message_zh: `${name} 不可為空；請修正資料列或將其移除。`,
    }))
}

const GRAIN = 'grain'

/**
 * Finds grains (identifying values) that several rows have. Counts rows instead of listing them,
 * because the engine cannot spill lists to disk.
 */
const shared = ({ grain }: Dataset, incoming: Relation): string =>
  `SELECT ${list(grain)} FROM ${incoming} GROUP BY ${list(grain)} HAVING count(*) > 1`

const repeatsGrain = async (session: Session, dataset: Dataset, incoming: Relation): Promise<boolean> =>
  (await session.rows(`${shared(dataset, incoming)} LIMIT 1`)).length > 0

function repeatedGrain(dataset: Dataset, incoming: Relation): Broken {
  const { grain } = dataset
  const same = grain.map(name => `i.${quote(name)} IS NOT DISTINCT FROM d.${quote(name)}`).join(' AND ')
  return {
    rule: GRAIN,
    column: null,
    rows: `SELECT i."_source", min(i.rowid) AS "_at", ${sampleOf(grain)} AS sample FROM ${incoming} AS i
       WHERE EXISTS (SELECT 1 FROM (${shared(dataset, incoming)}) AS d WHERE ${same}) GROUP BY 1, 3`,
    message: `Two rows share ${grain.join(', ')}. Keep the correct one.`,
    message_zh: `有兩筆資料列的 ${grain.join('、')} 相同；請保留正確的一筆。`,
  }
}

/**
 * Returns checks of virtual columns (computed when read). Values in a file must equal computed
 * ones.
 */
const virtualChecks = (dataset: Dataset, given: GivenColumns): readonly Check[] =>
  virtualColumns(dataset)
    .filter(([name]) => given.has(name))
    .map(([name, expression]) => ({
      rule: 'virtual_column',
      column: name,
      where: `${quote(name)} IS DISTINCT FROM (${expression})`,
      shown: [...dataset.grain, name],
      message: `${name} is computed from other columns, but the file has other values. Fix the rows or remove the column.`,
      message_zh: `${name} 由其他欄位計算而得，檔案中的值卻不同；請修正資料列，或移除此欄位。`,
    }))

/**
 * Reports keys that no request could find: keys with surrounding spaces, or in lower case if codes
 * are in upper case.
 */
function keyChecks({ key, filters, grain }: Dataset): readonly Check[] {
  return Object.values(filters)
    .filter(({ column, pattern, op }) => column === key && pattern !== undefined && (op === 'eq' || op === 'in'))
    .map(({ pattern, fold, example }) => ({
      rule: 'key_shape',
      column: key!,
      where: `NOT (regexp_full_match(${quote(key!)}, ${literal(pattern!)})${fold === 'upper' ? ` AND ${quote(key!)} = upper(${quote(key!)})` : ''})`,
      shown: grain,
      message: `${key} must look like ${example ?? pattern}${fold === 'upper' ? ', in upper case' : ''}. Queries cannot find rows with other values.`,
      message_zh: `${key} 的格式須如 ${example ?? pattern}${fold === 'upper' ? '，且為大寫' : ''}；其他值的資料列無法查詢。`,
    }))
}

/** Reports days before 1900, and days later than the dataset announces in advance. */
function dayChecks({ date, listedOn, grain, daysAhead = 1 }: Dataset, today: string): readonly Check[] {
  const day = date === undefined ? listedOn : quote(date)
  if (day === undefined) return []
  const called = date === undefined ? { en: 'The date of the list', zh: '清單的日期' } : { en: date, zh: date }
  const shown = date === undefined ? grain : [...new Set([...grain, date])]
  const check = (rule: string, where: string, { en, zh }: Words): Check => ({
    rule,
    column: date ?? null,
    where,
    shown,
    message: en,
    message_zh: zh,
  })
  return [
    check('future_date', `${day} > DATE '${addDays(today, daysAhead)}'`, {
      en: `${called.en} is ${daysAhead > 1 ? `more than ${daysAhead} days ` : ''}in the future. Check the year: an ROC year is the Western year minus 1911.`,
      zh: `${called.zh} 為${daysAhead > 1 ? `超過 ${daysAhead} 日後的` : ''}未來日期；請檢查年度（民國年為西元年減 1911）。`,
    }),
    check('ancient_date', `${day} < DATE '1900-01-01'`, {
      en: `${called.en} is before 1900. Check the year: an ROC year is the Western year minus 1911.`,
      zh: `${called.zh} 早於 1900 年；請檢查年度（民國年為西元年減 1911）。`,
    }),
  ]
}
