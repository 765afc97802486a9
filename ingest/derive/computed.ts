import { type Catalog, type Dataset, type Lookback, schemaHash } from '../../catalog/index.ts'
import { addDays, Refusal } from '../../src/core/index.ts'
import { isEngineError, isMachineFault, literal, quote } from '../../src/engine/index.ts'
import { bucketOf, type Manifest, type PartFile, readManifest, type Spans, sha256OfText } from '../../src/releases/index.ts'
import {
  adapted,
  type Batch,
  type BatchFault,
  createServedReleases,
  createTable,
  createView,
  type DatasetOutcome,
  type DayRange,
  faultFinding,
  isCompaction,
  list,
  loggedJoin,
  logJoin,
  type Outcome,
  type Parent,
  partsFor,
  publish,
  publishInOrder,
  type Relation,
  type ServedReleases,
  type TradingCalendar,
  type Workspace,
} from '../publish/index.ts'
import { type Computed, computedColumns, declarationFault, isComputed, statementOver, typed } from './declaration.ts'
import { changedDays, changedKeys, daysIn, type Input, noRowsOf, rowsOf } from './input-changes.ts'

/** Rules that apply to files only. Computed rows come from releases that passed these rules. */
const ACCEPTED = ['row_count_drift', 'closed_day', 'dates_backwards', 'future_date'] as const

/** Maximum number of input rows per evaluation. Bounds memory. */
const ROWS_AT_A_TIME = 1_000_000

/** Entry of the join log with the input releases of the served release. */
const INPUTS = 'inputs'

/** Join-log value of an input that has no release. */
const NO_RELEASE = '-'

/** Values of `read_as` in a manifest's sources: for an input release, and for the SQL statement. */
const [RELEASE, STATEMENT] = ['release', 'sql'] as const

/** Returns the datasets that are declared in SQL, inputs first. */
export function inComputingOrder(catalog: Catalog): readonly Computed[] {
  const ordered = new Set<Computed>()
  const add = (dataset: Dataset | undefined): void => {
    if (!dataset || !isComputed(dataset) || ordered.has(dataset)) return
    for (const slug of dataset.from.inputs) add(catalog.get(slug))
    ordered.add(dataset)
  }
  for (const dataset of catalog.values()) add(dataset)
  return [...ordered]
}

/**
 * Computes the SQL datasets whose inputs changed, and publishes the differing rows. Inputs are
 * either all samples or all real rows. The manifest lists the input releases, so the next run
 * detects and repeats an interrupted computation.
 *
 * @param touched slugs of datasets that were published or served again
 * @param requested slugs of datasets to compute in any case
 */
export async function publishComputed(
  workspace: Workspace,
  calendar: TradingCalendar,
  touched: Iterable<string>,
  requested: readonly string[] = [],
): Promise<readonly DatasetOutcome[]> {
  const reached = new Set(touched)
  const due = inComputingOrder(workspace.catalog).filter(({ slug, from }) => {
    const isDue = requested.includes(slug) || from.inputs.some(name => reached.has(name))
    if (isDue) reached.add(slug)
    return isDue
  })
  const outcomes = new Map<Computed, Outcome>()
  let failure: { readonly error: unknown } | undefined
  // Two computations run in parallel. Starting the longest ones first shortens the total time.
  const longestFirst = due.toSorted((a, b) => (b.from.lookback?.rows ?? 0) - (a.from.lookback?.rows ?? 0))
  const waiting = await Promise.all(longestFirst.map(async ({ slug, from }) => ({ slug, rows: await changedRows(workspace, from.inputs) })))
  const served = createServedReleases(workspace)
  await publishInOrder(workspace, waiting, async (slug, lane) => {
    const dataset = due.find(candidate => candidate.slug === slug)!
    try {
      const outcome = await computeAndPublish(lane, calendar, served, dataset)
      if (outcome) outcomes.set(dataset, outcome)
    } catch (error) {
      // A damaged input stops only the datasets that need it.
      if (error instanceof Refusal && error.code === 'integrity') outcomes.set(dataset, refusal(dataset, damagedInput(dataset, error)))
      else failure ??= { error }
    }
  })
  if (failure) throw failure.error
  return due.flatMap(dataset => (outcomes.has(dataset) ? [{ dataset: dataset.slug, outcome: outcomes.get(dataset)! }] : []))
}

/** Returns how many rows changed in the newest releases of the inputs. */
async function changedRows(workspace: Workspace, inputs: readonly string[]): Promise<number> {
  const served = createServedReleases(workspace)
  let rows = 0
  for (const slug of inputs) {
    const { changes } = (await served.of(slug).catch(() => undefined))?.manifest ?? {}
    if (changes) rows += changes.rows_added + changes.rows_changed + changes.rows_removed
  }
  return rows
}

/** Returns undefined if the dataset is up to date, has no rows yet, or lacks a required input. */
async function computeAndPublish(
  workspace: Workspace,
  calendar: TradingCalendar,
  served: ServedReleases,
  dataset: Computed,
): Promise<Outcome | undefined> {
  const { session, captures, catalog } = workspace
  const { slug, publish: declared } = dataset
  const inputs = await inputsOf(workspace, served, dataset)
  const former = await createServedReleases(workspace).of(slug)
  if (!inputs || (former && !former.manifest.synthetic && inputs[0]!.release.manifest.synthetic)) return undefined
  const statement = sha256OfText(JSON.stringify([dataset.from, schemaHash(dataset)]))
  const releases = dataset.from.inputs.map(
    name => inputs.find(input => input.dataset.slug === name)?.release.manifest.release ?? NO_RELEASE,
  )
  const logUpToDate = (release: string): void => logJoin(captures, slug, INPUTS, [release, statement, ...releases].join(' '))
  const basis = former && (await basisOf(workspace, dataset, former.manifest, statement))
  if (former && basis && basis.join() === releases.join()) return undefined
  // If there is a `basis`, the same statement computed the served release, so the statement is
  // valid.
  const fault = basis ? undefined : await declarationFault(session, catalog, dataset)
  if (fault) return refusal(dataset, { rule: 'declaration', count: 1, message: fault.en, message_zh: fault.zh })
  const isAlike = former?.manifest.synthetic === inputs[0]!.release.manifest.synthetic
  const hasSameInputs = basis?.every((release, index) => (release === NO_RELEASE) === (releases[index] === NO_RELEASE))
  const scope =
    former && basis && hasSameInputs && isAlike
      ? await scopeOf(
          workspace,
          dataset,
          inputs,
          basis.filter(release => release !== NO_RELEASE),
        )
      : WHOLE
  if (former && isNothing(scope)) {
    logUpToDate(former.manifest.release)
    return undefined
  }
  const computed = await compute(workspace, dataset, inputs, scope).catch(error => {
    if (error instanceof Refusal || isMachineFault(error) || !isEngineError(error)) throw error
    const reason = (error as Error).message.split('\n')[0]!
    return {
      rule: 'computation',
      count: 1,
      message: `The SQL of ${slug} failed on the rows of its inputs: ${reason}`,
      message_zh: `${slug} 的 SQL 處理輸入資料時失敗：${reason}`,
    }
  })
  if (typeof computed !== 'string') return refusal(dataset, computed)
  const isWhole = scope === WHOLE
  const isEmpty = isWhole && (await session.rows(`SELECT 1 FROM ${computed} LIMIT 1`)).length === 0
  if (isEmpty && !former) return undefined
  const outcome = await publish(workspace, {
    dataset: { ...dataset, publish: { ...declared, mode: isWhole ? 'replace' : 'merge' } },
    relation: computed,
    // A batch without rows must name the removed rows. Otherwise the batch counts as missing data.
    ...(isEmpty ? { whole: everythingOf(former!) } : !isWhole && { whole: wholeOf(scope) }),
    sources: sourcesOf(dataset, inputs, statement),
    synthetic: inputs[0]!.release.manifest.synthetic,
    accept: ACCEPTED,
    sourceBySource: false,
    calendar,
  })
  if (outcome.release !== null) logUpToDate(outcome.release)
  await session.run(`DROP VIEW ${computed}; DROP TABLE computed`)
  return outcome
}

/**
 * Returns the inputs that have releases. Undefined if a required input is missing, or if any input
 * is damaged or has incompatible columns. Samples count as missing if any input has real rows.
 */
async function inputsOf(workspace: Workspace, served: ServedReleases, { from }: Computed): Promise<readonly Input[] | undefined> {
  const releases = await Promise.all(from.inputs.map(slug => served.of(slug).catch(() => 'damaged' as const)))
  const synthetic = releases.every(release => release === 'damaged' || release?.manifest.synthetic !== false)
  const inputs: Input[] = []
  for (const [index, slug] of from.inputs.entries()) {
    const [dataset, release] = [workspace.catalog.get(slug)!, releases[index]]
    if (release === 'damaged') return undefined
    if (release?.manifest.synthetic === synthetic) {
      const read = await adapted(workspace.session, release, dataset)
      if (!read) return undefined
      inputs.push({ dataset, release: read })
    } else if (!from.optional?.includes(slug)) return undefined
  }
  return inputs.length === 0 ? undefined : inputs
}

/**
 * Returns the releases from which the served release was computed, in the order of the inputs.
 * Undefined if another statement computed the served release.
 */
async function basisOf(
  { captures, releases, parsed }: Workspace,
  { slug, from }: Computed,
  former: Manifest,
  statement: string,
): Promise<readonly string[] | undefined> {
  const [release, logged, ...inputs] = loggedJoin(captures, slug, INPUTS)?.split(' ') ?? []
  if (release === former.release && logged === statement) return inputs
  let manifest: Manifest | undefined = former
  // A compaction lists no sources. Its parent has the same rows and was computed from the same
  // inputs.
  while (manifest && isCompaction(manifest)) manifest = await readManifest(releases, slug, manifest.parent!, parsed).catch(() => undefined)
  const { sources } = manifest ?? { sources: [] }
  if (!sources.some(({ read_as, sha256 }) => read_as === STATEMENT && sha256 === statement)) return undefined
  const found = from.inputs.map(name => {
    const source = sources.find(other => other.read_as === RELEASE && other.name.startsWith(`${name} `))
    return source ? source.name.slice(name.length + 1) : NO_RELEASE
  })
  return found.some((release, index) => release === NO_RELEASE && !from.optional?.includes(from.inputs[index]!)) ? undefined : found
}

const sourcesOf = ({ slug, lineage, from }: Computed, inputs: readonly Input[], statement: string): Batch['sources'] => [
  ...inputs.map(({ dataset, release: { manifest } }) => ({
    name: `${dataset.slug} ${manifest.release}`,
    sha256: manifest.statistics.spans,
    bytes: 0,
    read_as: RELEASE,
    url: lineage.url,
  })),
  { name: `SQL of ${slug}`, sha256: statement, bytes: Buffer.byteLength(from.sql), read_as: STATEMENT, url: null },
]

/** Which rows to compute: all rows, the rows of some days, or a `KeyScope`. */
type Scope = typeof WHOLE | { readonly days: readonly DayRange[] } | KeyScope
const WHOLE = 'whole'

interface KeyScope {
  /** Keys whose rows are all computed. */
  readonly keys: readonly string[]
  /** First day of the rows of all other keys. Null if no other keys are computed. */
  readonly since: string | null
}

const isNothing = (scope: Scope): boolean =>
  scope !== WHOLE && ('days' in scope ? scope.days.length === 0 : scope.keys.length === 0 && scope.since === null)

const NO_END = '9999-12-31'

const wholeOf = (scope: Exclude<Scope, typeof WHOLE>): NonNullable<Batch['whole']> =>
  'days' in scope ? { keys: [], days: scope.days } : { keys: scope.keys, days: scope.since === null ? [] : [[scope.since, NO_END]] }

const everythingOf = ({ manifest: { statistics }, spans }: Parent): NonNullable<Batch['whole']> => ({
  keys: [...Object.keys(spans.base), ...Object.keys(spans.delta)],
  days: statistics.first_date === null ? [] : [[statistics.first_date, NO_END]],
})

/**
 * Decides which rows to compute.
 *
 * @param basis input releases from which the served rows were computed
 */
async function scopeOf(workspace: Workspace, dataset: Computed, inputs: readonly Input[], basis: readonly string[]): Promise<Scope> {
  const { by, lookback } = dataset.from
  if (by === 'whole') return WHOLE
  if (by !== 'key') {
    const changed = await Promise.all(inputs.map((input, index) => changedDays(workspace, input, basis[index]!)))
    if (changed.some(days => days === undefined)) return WHOLE
    return { days: joined(changed.flatMap(days => (days ?? []).map(range => periodsOf(by, range)))) }
  }
  const changes: (ReadonlyMap<string, string | null> | string)[] = []
  for (const [index, input] of inputs.entries()) {
    const changed = await changedKeys(workspace, input, basis[index]!, dataset.key!, lookback !== undefined)
    if (changed === undefined) return WHOLE
    changes.push(changed)
  }
  return keyScope(workspace, dataset, inputs, changes)
}

type Period = 'day' | 'week' | 'month'

/** Extends the range to whole periods. Weeks start on Monday. */
function periodsOf(by: Period, [from, to]: DayRange): DayRange {
  if (by === 'day') return [from, to]
  if (by === 'week') return [addDays(from, -weekday(from)), addDays(to, 6 - weekday(to))]
  return [`${from.slice(0, 8)}01`, addDays(`${addDays(`${to.slice(0, 8)}01`, 31).slice(0, 8)}01`, -1)]
}

const weekday = (day: string): number => (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7

/** Merges overlapping and adjacent ranges. The result is sorted. */
function joined(ranges: readonly DayRange[]): readonly DayRange[] {
  const result: [string, string][] = []
  for (const [from, to] of ranges.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const last = result.at(-1)
    if (last && from <= addDays(last[1], 1)) last[1] = last[1] > to ? last[1] : to
    else result.push([from, to])
  }
  return result
}

type Extents = ReadonlyMap<string, { readonly rows: number; readonly first: string | null }>

function extentsOf(inputs: readonly Pick<Input, 'release'>[]): Extents {
  const extents = new Map<string, { rows: number; first: string | null }>()
  const entries = ({ base, delta }: Spans) => [...Object.entries(base), ...Object.entries(delta)]
  for (const [key, [first, , rows]] of inputs.flatMap(({ release }) => entries(release.spans))) {
    const extent = extents.get(key)
    const earlier = extent?.first && first ? (extent.first < first ? extent.first : first) : (extent?.first ?? first)
    extents.set(key, { rows: (extent?.rows ?? 0) + rows, first: earlier })
  }
  return extents
}

/** Returns enough calendar days for the trading days, including long holidays. */
const calendarDays = (tradingDays: number): number => Math.ceil(tradingDays * 1.6) + 30

/**
 * Chooses the rows to compute for a statement that reads earlier rows. Computes the rows of all
 * keys from one day on, and all rows of keys with earlier changes. Chooses the day that needs the
 * fewest rows.
 */
async function keyScope(
  workspace: Workspace,
  { key, from: { lookback } }: Computed,
  inputs: readonly Input[],
  changes: readonly (ReadonlyMap<string, string | null> | string)[],
): Promise<KeyScope> {
  const firsts = new Map<string, string | null>()
  for (const [name, day] of changes.flatMap(changed => (typeof changed === 'string' ? [] : [...changed]))) {
    const earliest = firsts.get(name)
    firsts.set(name, earliest === null || day === null ? null : earliest === undefined || day < earliest ? day : earliest)
  }
  const appended = changes.filter(changed => typeof changed === 'string').sort()[0]
  if (lookback === undefined) return { keys: [...firsts.keys()], since: null }
  const extents = extentsOf(inputs)
  const rowsOfKeys = (names: readonly string[]): number => names.reduce((sum, name) => sum + (extents.get(name)?.rows ?? 0), 0)
  const last = inputs
    .map(({ release }) => release.manifest.statistics.last_date ?? '')
    .sort()
    .at(-1)!
  const total = rowsOfKeys([...extents.keys()])
  const first = [...extents.values()].map(extent => extent.first ?? last).sort()[0] ?? last
  const span = Math.max(1, daysBetween(first, last))
  const readSince = (day: string): number => (total * Math.min(span, daysBetween(day, last) + 1 + calendarDays(lookback.rows))) / span
  const olderThan = (day: string): readonly string[] =>
    [...firsts].flatMap(([name, since]) => (since === null || since < day ? [name] : []))
  const days = [...new Set([...firsts.values(), appended ?? null])].filter(
    day => day !== null && (appended === undefined || day <= appended),
  )
  const costs = days.map(day => [readSince(day!) + rowsOfKeys(olderThan(day!)), day] as const)
  if (appended === undefined) costs.push([rowsOfKeys([...firsts.keys()]), null])
  const [, since] = costs.reduce((best, next) => (next[0] < best[0] ? next : best))
  if (since === null) return { keys: [...firsts.keys()], since }
  const complete = new Set([...olderThan(since), ...(await keysWithGaps(workspace, key!, inputs[0]!, since, lookback))])
  return { keys: [...complete], since }
}

const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 86_400_000

const windowStart = (since: string, { rows }: Lookback): string => addDays(since, -calendarDays(rows))

/** Returns the keys that have too few rows in the window, but have older rows. */
async function keysWithGaps(
  { session }: Workspace,
  key: string,
  input: Input,
  since: string,
  lookback: Lookback,
): Promise<readonly string[]> {
  const start = windowStart(since, lookback)
  const extents = extentsOf([input])
  const day = quote(input.dataset.date!)
  const rows = await rowsOf(input, partsFor(input.release, undefined, start, null))
  const few = await session.rows(
    `SELECT ${quote(key)} AS key FROM ${rows} WHERE ${day} >= DATE ${literal(start)} GROUP BY 1
     HAVING count(*) FILTER (${day} < DATE ${literal(since)} AND (${lookback.where ?? 'true'})) < ${lookback.rows} AND bool_or(${day} >= DATE ${literal(since)})`,
  )
  return few.map(row => String(row['key'])).filter(name => (extents.get(name)?.first ?? start) < start)
}

/** Fields of a fault that `refusal` does not fill in. */
type Fault = Pick<BatchFault, 'rule' | 'count' | 'message' | 'message_zh'>

const damagedInput = ({ slug }: Dataset, { message }: Refusal): Fault => ({
  rule: 'computation',
  count: 1,
  message: `${slug} was not computed. ${message}`,
  message_zh: `${slug} 未重新計算：輸入資料有損壞的檔案，請自備份還原後重新發布。`,
})

function refusal(dataset: Dataset, fault: Fault): Outcome {
  const finding = faultFinding(dataset, [], { ...fault, source: null, column: null, samples: [] })
  const nothing = { notices: [], rowsBySource: new Map(), rowsConfirmed: 0, samplesReplaced: 0, moved: [] }
  return { status: 'refused', release: null, changes: null, faults: [finding], ...nothing }
}

/** Evaluates the statement in chunks to bound memory. */
async function compute(workspace: Workspace, dataset: Computed, inputs: readonly Input[], scope: Scope): Promise<Relation | Fault> {
  const { session } = workspace
  return workspace.withinMemory(async () => {
    const columns = computedColumns(dataset)
    const rows = await createTable(
      session,
      'computed',
      selected(dataset, { sql: noRowsOf(dataset), rowsOf: slug => noRowsOf(workspace.catalog.get(slug)!), inside: 'true' }),
    )
    for await (const chunk of chunksOf(workspace, dataset, inputs, scope))
      await session.run(`INSERT INTO ${rows} ${selected(dataset, chunk)}`)
    const [outside] = await session.rows(`SELECT count(*)::INTEGER AS count FROM ${rows} WHERE "_outside"`)
    const count = Number(outside!['count'])
    if (count === 0) return createView(session, 'computed_rows', `SELECT ${list(columns)}, 0 AS "_source" FROM ${rows}`)
    const { by } = dataset.from
    const words = {
      message: `The SQL of ${dataset.slug} returned ${count} rows of another ${by} than the rows that it read; a statement with by: '${by}' must return rows of that ${by} only.`,
      message_zh: `${dataset.slug} 的 SQL 回傳 ${count} 列，不屬於所讀取的範圍；by: '${by}' 的 SQL 只能回傳同一範圍的資料列。`,
    }
    return { rule: 'computation', count, ...words }
  })
}

interface Chunk {
  readonly sql?: string
  readonly rowsOf: (slug: string) => string
  /** SQL condition that every returned row must meet. Other rows are an error. */
  readonly inside: string
  /** SQL condition that selects the rows to publish. Default: all rows. */
  readonly where?: string
}

const selected = (dataset: Computed, { sql = dataset.from.sql, rowsOf, inside, where = 'true' }: Chunk): string =>
  `SELECT ${computedColumns(dataset)
    .map(name => typed(dataset, name))
    .join(', ')}, NOT coalesce(${inside}, false) AS "_outside" FROM (${statementOver(dataset, sql, rowsOf)}) WHERE ${where}`

async function* chunksOf(workspace: Workspace, dataset: Computed, inputs: readonly Input[], scope: Scope): AsyncGenerator<Chunk> {
  const { key, date, from } = dataset
  const { by, lookback } = from
  const rowsWhere = async (parts: (input: Input) => readonly PartFile[], where: (input: Input) => string): Promise<Chunk['rowsOf']> => {
    const rows = new Map<string, string>()
    for (const input of inputs) rows.set(input.dataset.slug, `(SELECT * FROM ${await rowsOf(input, parts(input))} WHERE ${where(input)})`)
    return slug => rows.get(slug) ?? noRowsOf(workspace.catalog.get(slug)!)
  }
  const all = ({ release }: Input): readonly PartFile[] => release.manifest.parts
  if (by === 'whole') return yield { rowsOf: await rowsWhere(all, () => 'true'), inside: 'true' }
  if (by !== 'key') {
    const ranges = scope === WHOLE ? wholeRange(by, inputs) : (scope as { days: readonly DayRange[] }).days
    for (const days of rangesAtATime(by, ranges, inputs))
      yield {
        rowsOf: await rowsWhere(
          input => filesWithin(input, days),
          input => daysIn(input.dataset.date!, days),
        ),
        inside: daysIn(date!, days),
      }
    return
  }
  const { keys, since } = scope === WHOLE ? { keys: [...extentsOf(inputs).keys()], since: null } : (scope as KeyScope)
  const named = keyTable(keys)
  for (const own of keysAtATime(keys, inputs)) {
    const table = await createTable(workspace.session, 'computed_keys', keyTable(own))
    yield {
      rowsOf: await rowsWhere(
        ({ release }) => partsFor(release, own, null, null),
        () => `${quote(key!)} IN (SELECT key FROM ${table})`,
      ),
      inside: `${quote(key!)} IN (SELECT key FROM ${table})`,
    }
  }
  if (since === null) return
  const table = await createTable(workspace.session, 'complete_keys', named)
  const start = windowStart(since, lookback!)
  const rowsUntil = (end: string): Promise<Chunk['rowsOf']> =>
    rowsWhere(
      ({ release }) => partsFor(release, undefined, start, end),
      input => `${daysIn(input.dataset.date!, [[start, end]])} AND ${quote(key!)} NOT IN (SELECT key FROM ${table})`,
    )
  const { lastDay } = lookback!
  const days = lastDay === undefined ? [] : await daysSince(workspace, inputs[0]!, since)
  if (lastDay === undefined || days.length > MOST_LAST_DAYS)
    return yield { rowsOf: await rowsUntil(NO_END), inside: 'true', where: daysIn(date!, [[since, NO_END]]) }
  for (const day of days) yield { sql: lastDay, rowsOf: await rowsUntil(day), inside: 'true', where: daysIn(date!, [[day, day]]) }
}

/** Maximum number of days for the `lastDay` statement. For more days, `sql` is cheaper. */
const MOST_LAST_DAYS = 5

async function daysSince({ session }: Workspace, input: Input, since: string): Promise<readonly string[]> {
  const day = quote(input.dataset.date!)
  const rows = await rowsOf(input, partsFor(input.release, undefined, since, null))
  const found = await session.rows(`SELECT DISTINCT ${day}::VARCHAR AS day FROM ${rows} WHERE ${day} >= DATE ${literal(since)} ORDER BY 1`)
  return found.map(row => String(row['day']))
}

const keyTable = (keys: readonly string[]): string =>
  keys.length === 0 ? 'SELECT NULL::VARCHAR AS key LIMIT 0' : `SELECT unnest([${keys.map(literal).join(', ')}]) AS key`

/** Prefers month files, because they contain fewer rows of other days. */
function filesWithin({ release }: Input, days: readonly DayRange[]): readonly PartFile[] {
  const { months } = release.manifest
  const near = new Set(days.flatMap(([from, to]) => partsFor(release, undefined, from, to)))
  return months
    ? months.filter(({ first_date, last_date }) => days.some(([from, to]) => first_date <= to && last_date >= from))
    : release.manifest.parts.filter(part => near.has(part))
}

/**
 * Splits keys into groups for one evaluation each. Keys of the same bucket are in the same group.
 */
function keysAtATime(keys: readonly string[], inputs: readonly Input[]): readonly (readonly string[])[] {
  const extents = extentsOf(inputs)
  const { buckets } = inputs[0]!.release.manifest
  const sorted = keys.map(key => [bucketOf(key, buckets), key] as const).toSorted(([a], [b]) => a - b)
  const groups: string[][] = []
  let rows = ROWS_AT_A_TIME
  for (const [, key] of sorted) {
    if (rows >= ROWS_AT_A_TIME) {
      groups.push([])
      rows = 0
    }
    groups.at(-1)!.push(key)
    rows += extents.get(key)?.rows ?? 0
  }
  return groups
}

function wholeRange(by: Period, inputs: readonly Input[]): readonly DayRange[] {
  const days = inputs.flatMap(({ release: { manifest } }) => [manifest.statistics.first_date, manifest.statistics.last_date])
  const sorted = days.filter(day => day !== null).sort()
  return sorted.length === 0 ? [] : [periodsOf(by, [sorted[0]!, sorted.at(-1)!])]
}

/** Groups whole periods, so that the input rows of a group fit into one evaluation. */
function rangesAtATime(by: Period, ranges: readonly DayRange[], inputs: readonly Input[]): readonly (readonly DayRange[])[] {
  const [whole] = wholeRange(by, inputs)
  if (!whole) return []
  const rows = inputs.reduce((sum, { release }) => sum + release.manifest.statistics.rows, 0)
  const longest = Math.max(1, Math.floor((ROWS_AT_A_TIME * (daysBetween(...whole) + 1)) / Math.max(1, rows)))
  const groups: DayRange[][] = []
  let length = longest
  for (const range of ranges.flatMap(whole => split(by, whole, longest))) {
    const days = daysBetween(...range) + 1
    if (length + days > longest) {
      groups.push([])
      length = 0
    }
    groups.at(-1)!.push(range)
    length += days
  }
  return groups
}

function split(by: Period, [from, to]: DayRange, longest: number): readonly DayRange[] {
  if (daysBetween(from, to) < longest) return [[from, to]]
  const pieces: DayRange[] = []
  for (let first = from; first <= to; ) {
    const [, last] = periodsOf(by, [first, addDays(first, longest - 1)])
    pieces.push([first, last < to ? last : to])
    first = addDays(last, 1)
  }
  return pieces
}
