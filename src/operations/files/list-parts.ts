import { type Catalog, creditsOfRows, type Dataset, type Filter } from '../../../catalog/index.ts'
import type { Gate, SignedFile } from '../../access/index.ts'
import { type Clock, type Fault, type Grant, parameterRefusal, Refusal, type Words } from '../../core/index.ts'
import { fault, partsMatching, readAsOf, readValues } from '../../read/index.ts'
import type { MonthPart, Part, Release, Releases } from '../../releases/index.ts'
import { chooseRelease } from '../read/choose-release.ts'
import { type DryRun, dryRun } from '../read/dry-run.ts'
import { type Call, type Meta, type MeterDeps, metered, uncharged } from '../read/metering.ts'

export interface PartsDeps extends MeterDeps {
  readonly gate: MeterDeps['gate'] & Pick<Gate, 'signFile'>
  readonly catalog: Catalog
  readonly releases: Releases
  readonly clock: Clock
}

/** Null members do not restrict the selection. */
export interface PartsInput {
  /** Null for the served release. */
  readonly release: string | null
  /** Day or time in canonical form. Selects the release that was served at that time. */
  readonly asOf: string | null
  readonly keys: readonly string[] | null
  /** First and last day are inclusive. */
  readonly from: string | null
  readonly to: string | null
  /** Id of a stored release. Files of that release are omitted. */
  readonly since: string | null
  /** True to include the files by month. These files repeat the rows of the other files. */
  readonly months: boolean
}

export const MAX_KEYS = 500

/** Null members do not restrict the selection. */
export interface PartsQuery extends Pick<PartsInput, 'release' | 'since' | 'months'> {
  readonly as_of: string | null
  /** Separated by commas. */
  readonly symbol: string | null
  readonly start_date: string | null
  readonly end_date: string | null
}

/** @throws Refusal invalid_parameter */
export function partsInput(dataset: Dataset, query: PartsQuery): PartsInput {
  const faults: Fault[] = []
  const { symbol, start_date: from, end_date: to, release, as_of, since, months } = query
  const keys = symbol === null ? null : readValues('symbol', keyFilter(dataset), false, symbol, faults)
  if (from !== null && to !== null && from > to)
    faults.push(fault('start_date', { en: 'start_date must not be after end_date', zh: 'start_date 不得晚於 end_date' }, 'range', from))
  const asOf = readAsOf({ as_of: as_of ?? undefined, release: release ?? undefined }, faults)
  if (faults.length > 0) throw parameterRefusal(dataset, faults)
  return { keys, from, to, release, asOf: asOf?.text ?? null, since, months }
}

function keyFilter({ filters, key }: Dataset): Filter {
  const own = Object.values(filters).find(({ column, op }) => column === key && (op === 'eq' || op === 'in'))
  return { ...(own ?? { column: key!, doc: '' }), op: 'in', max: MAX_KEYS }
}

export interface ListedFile {
  readonly file: Part | MonthPart
  readonly kind: 'part' | 'month'
  readonly url: SignedFile
}

export interface PartsAnswer {
  readonly release: Release
  /** Null if the caller did not send `as_of`. */
  readonly asOf: string | null
  readonly listWarnings: readonly string[]
  readonly files: readonly ListedFile[]
  /** Excludes files by month, because they repeat rows of other files. */
  readonly rows: number
  readonly bytes: number
  readonly meta: Meta
}

/**
 * Lists the files that may contain the selected rows. URLs are valid for one hour. The price
 * depends on all rows in the files.
 * @throws Refusal plan_required, invalid_parameter, unknown_id, release_retired, dataset_building,
 * data_unavailable, integrity, credits_exhausted, concurrency_limited, overloaded
 */
export type ListParts = (
  caller: Grant,
  dataset: Dataset,
  input: PartsInput,
  call: Call,
  /** Called before charging. An error cancels the call and the charge. */
  checkCost?: (chosen: { readonly files: number; readonly credits: number }) => void,
) => Promise<PartsAnswer>

export type DryListParts = (caller: Grant, dataset: Dataset, input: PartsInput) => Promise<DryRun>

export function createListParts(deps: PartsDeps): ListParts {
  const { gate } = deps
  return (caller, dataset, input, call, checkCost) =>
    metered(deps, caller, dataset, call, async meter => {
      const chosen = await chooseFiles(deps, dataset, input)
      const { release, rows } = chosen
      call.time.lap('plan')
      const credits = creditsFor(dataset, caller, chosen)
      checkCost?.({ files: chosen.files.length, credits })
      if (call.planOnly) return { ...chosen, files: [], meta: { rows, charge: uncharged(gate, caller), timings: call.time.laps } }
      await meter.begin({ credits })
      const files = chosen.files.map(({ file, kind }) => ({
        file,
        kind,
        url: gate.signFile(caller, { slug: dataset.slug, sha256: file.sha256 }),
      }))
      const charge = await meter.settle({ rows, release: release.id, bytes: files.length * LINE_BYTES })
      return { ...chosen, files, meta: { rows, charge, timings: call.time.laps } }
    })
}

export function createDryListParts(deps: PartsDeps): DryListParts {
  return (caller, dataset, input) =>
    dryRun(deps, caller, dataset, async () => {
      const chosen = await chooseFiles(deps, dataset, input)
      const { release, rows, bytes } = chosen
      const credits = creditsFor(dataset, caller, chosen)
      return { format: 'parquet', release: release.id, rows, isExact: true, limited: false, bytes, credits }
    })
}

const LINE_BYTES = 640

/** The files may contain rows that were announced after `as_of`. */
const UNFILTERED = 'rows_not_filtered_by_as_of'

interface ChosenFiles extends Pick<PartsAnswer, 'release' | 'asOf' | 'listWarnings'> {
  readonly files: readonly Pick<ListedFile, 'file' | 'kind'>[]
  readonly rows: number
  readonly monthRows: number
  readonly bytes: number
}

/**
 * Charges each row once. Files by month repeat rows, so the lower of the two row counts is ignored.
 */
const creditsFor = (dataset: Dataset, { plan }: Grant, { rows, monthRows }: ChosenFiles): number =>
  creditsOfRows(dataset, plan, Math.max(rows, monthRows))

async function chooseFiles(deps: PartsDeps, dataset: Dataset, input: PartsInput): Promise<ChosenFiles> {
  const { releases } = deps
  const { release: pinned, asOf } = input
  const params = { ...(pinned !== null && { release: pinned }), ...(asOf !== null && { as_of: asOf }) }
  const release = (await chooseRelease(deps, dataset, params)) ?? releases.current(dataset)
  const oldFiles = input.since === null ? new Set<string>() : await filesOf(releases, dataset, input.since)
  const isNew = ({ sha256 }: Part | MonthPart): boolean => !oldFiles.has(sha256)
  const parts = partsMatching(release, filtersOf(dataset, input)).filter(isNew)
  const months = input.months ? (release.manifest.months ?? []).filter(isNew) : []
  const all = [...parts, ...months]
  return {
    release,
    asOf,
    listWarnings: asOf !== null && dataset.knownAt !== undefined ? [UNFILTERED] : [],
    files: [...parts.map(file => ({ file, kind: 'part' }) as const), ...months.map(file => ({ file, kind: 'month' }) as const)],
    rows: sum(parts.map(({ rows }) => rows)),
    monthRows: sum(months.map(({ rows }) => rows)),
    bytes: sum(all.map(({ bytes }) => bytes)),
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

async function filesOf(releases: Releases, dataset: Dataset, id: string): Promise<ReadonlySet<string>> {
  const { manifest } = await releases.retained(dataset, id)
  return new Set([...manifest.parts, ...(manifest.months ?? [])].map(({ sha256 }) => sha256))
}

function filtersOf(dataset: Dataset, { keys, from, to }: PartsInput): Parameters<typeof partsMatching>[1] {
  const { key, date } = dataset
  if (keys && key === undefined) throw new Refusal('invalid_parameter', {}, NO_KEY)
  if ((from ?? to) !== null && date === undefined) throw new Refusal('invalid_parameter', {}, NO_DATE)
  return [
    ...(keys ? [{ param: 'symbol', column: key!, op: 'in' as const, values: keys }] : []),
    ...(from === null ? [] : [{ param: 'start_date', column: date!, op: 'from' as const, values: [from] }]),
    ...(to === null ? [] : [{ param: 'end_date', column: date!, op: 'to' as const, values: [to] }]),
  ]
}

const NO_KEY: Words = {
  en: 'Rows of this dataset have no key to filter by. Omit symbol.',
  zh: '此資料集沒有可供篩選的代號。請省略 symbol。',
}
const NO_DATE: Words = {
  en: 'Rows of this dataset have no date to filter by. Omit start_date and end_date.',
  zh: '此資料集沒有可供篩選的日期。請省略 start_date 與 end_date。',
}
