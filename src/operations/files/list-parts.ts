import { type Catalog, creditsOfRows, type Dataset, type Filter } from '../../../catalog/index.ts'
import type { Gate, SignedFile } from '../../access/index.ts'
import { type Fault, type Grant, parameterRefusal, Refusal, type Words } from '../../core/index.ts'
import { fault, partsMatching, readValues } from '../../read/index.ts'
import type { MonthPart, Part, Release, Releases } from '../../releases/index.ts'
import { type DryRun, dryRun } from '../read/dry-run.ts'
import { type Call, type Meta, type MeterDeps, metered, uncharged } from '../read/metering.ts'

/** What lists of parts depend on. */
export interface PartsDeps extends MeterDeps {
  readonly gate: MeterDeps['gate'] & Pick<Gate, 'signFile'>
  readonly catalog: Catalog
  readonly releases: Releases
}

/** Which parts of a dataset are wanted; null for no bound. */
export interface PartsInput {
  /** The served release where it is null. */
  readonly release: string | null
  /** Keys whose rows are wanted. */
  readonly keys: readonly string[] | null
  /** First and last day wanted, both included. */
  readonly from: string | null
  readonly to: string | null
  /** A kept release: parts that it has as well are left out. */
  readonly since: string | null
  /** Files that hold the rows once more, by month, are listed as well. */
  readonly months: boolean
}

/** Keys that one list is chosen by. */
export const MOST_KEYS = 500

/** What parts are wanted, in the words of callers; null for no bound. */
export interface PartsWanted extends Pick<PartsInput, 'release' | 'since' | 'months'> {
  /** Keys separated by commas. */
  readonly symbol: string | null
  readonly start_date: string | null
  readonly end_date: string | null
}

/** The same, checked. @throws Refusal invalid_parameter */
export function partsInput(dataset: Dataset, wanted: PartsWanted): PartsInput {
  const faults: Fault[] = []
  const { symbol, start_date: from, end_date: to, release, since, months } = wanted
  const keys = symbol === null ? null : readValues('symbol', keyFilter(dataset), false, symbol, faults)
  if (from !== null && to !== null && from > to)
    faults.push(fault('start_date', { en: 'start_date must not be after end_date', zh: 'start_date 不得晚於 end_date' }, 'range', from))
  if (faults.length > 0) throw parameterRefusal(dataset, faults)
  return { keys, from, to, release, since, months }
}

/** What the dataset's own reads take for its key, several of them. */
function keyFilter({ filters, key }: Dataset): Filter {
  const own = Object.values(filters).find(({ column, op }) => column === key && (op === 'eq' || op === 'in'))
  return { ...(own ?? { column: key!, doc: '' }), op: 'in', max: MOST_KEYS }
}

/** A file with the URL that reads it. */
export interface ListedFile {
  readonly file: Part | MonthPart
  readonly kind: 'part' | 'month'
  readonly url: SignedFile
}

export interface PartsAnswer {
  readonly release: Release
  readonly files: readonly ListedFile[]
  /** Rows of the parts listed; a month's are the same rows once more. */
  readonly rows: number
  readonly bytes: number
  readonly meta: Meta
}

/**
 * The parts of one release that may hold what is wanted, each with a URL that is good for an hour, for the price of their rows.
 *
 * @throws Refusal plan_required, invalid_parameter, unknown_id, release_retired, dataset_building, data_unavailable, integrity,
 * credits_exhausted, concurrency_limited, overloaded
 */
export type ListParts = (
  caller: Grant,
  dataset: Dataset,
  input: PartsInput,
  call: Call,
  /** Called before anything is charged; what it throws is the answer. */
  look?: (chosen: { readonly files: number; readonly credits: number }) => void,
) => Promise<PartsAnswer>

export type DryListParts = (caller: Grant, dataset: Dataset, input: PartsInput) => Promise<DryRun>

export function createListParts(deps: PartsDeps): ListParts {
  const { releases, gate } = deps
  return (caller, dataset, input, call, look) =>
    metered(deps, caller, dataset, call, async meter => {
      const chosen = await chooseFiles(releases, dataset, input)
      const { release, rows } = chosen
      call.time.lap('plan')
      const credits = priceOf(dataset, caller, chosen)
      look?.({ files: chosen.files.length, credits })
      if (call.planOnly) return { ...chosen, files: [], meta: { rows, charge: uncharged(gate, caller), timings: call.time.laps } }
      await meter.begin({ credits })
      const files = chosen.files.map(({ file, kind }) => ({
        file,
        kind,
        url: gate.signFile(caller, { slug: dataset.slug, sha256: file.sha256 }),
      }))
      const charge = await meter.settle({ rows, release: release.id, bytes: files.length * BYTES_OF_LINE })
      return { ...chosen, files, meta: { rows, charge, timings: call.time.laps } }
    })
}

/** Says what a list would hold and cost. */
export function createDryListParts(deps: PartsDeps): DryListParts {
  return (caller, dataset, input) =>
    dryRun(deps, caller, dataset, async () => {
      const chosen = await chooseFiles(deps.releases, dataset, input)
      const { release, rows, bytes } = chosen
      const credits = priceOf(dataset, caller, chosen)
      return { format: 'parquet', release: release.id, rows, isExact: true, limited: false, bytes, credits }
    })
}

/** What a file takes in the list, about. */
const BYTES_OF_LINE = 640

interface Chosen {
  readonly release: Release
  readonly files: readonly Pick<ListedFile, 'file' | 'kind'>[]
  readonly rows: number
  /** Rows of the months listed. */
  readonly monthRows: number
  readonly bytes: number
}

/** Each row is paid for once: a month's rows are those of the parts, but a release may share parts with an earlier one and no month. */
const priceOf = (dataset: Dataset, { plan }: Grant, { rows, monthRows }: Chosen): number =>
  creditsOfRows(dataset, plan, Math.max(rows, monthRows))

async function chooseFiles(releases: Releases, dataset: Dataset, input: PartsInput): Promise<Chosen> {
  const release = input.release === null ? releases.current(dataset) : await releases.pinned(dataset, input.release)
  const had = input.since === null ? new Set<string>() : await filesOf(releases, dataset, input.since)
  const isNew = ({ sha256 }: Part | MonthPart): boolean => !had.has(sha256)
  const parts = partsMatching(release, filtersOf(dataset, input)).filter(isNew)
  const months = input.months ? (release.manifest.months ?? []).filter(isNew) : []
  const all = [...parts, ...months]
  return {
    release,
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

/** As a read would filter, so that no part is left out that a read would open. */
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
  en: 'Rows of this dataset have no key to choose by; leave symbol out.',
  zh: '此資料集沒有可供篩選的代號；請省略 symbol。',
}
const NO_DATE: Words = {
  en: 'Rows of this dataset have no date to choose by; leave start_date and end_date out.',
  zh: '此資料集沒有可供篩選的日期；請省略 start_date 與 end_date。',
}
