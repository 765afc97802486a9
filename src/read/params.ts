import { allColumns, type Dataset, FORMATS, type Format, type Order, rangeColumns } from '../../catalog/index.ts'
import { type Facts, type Fault, flagOf, nearest, nearestParam, ofDataset, parameterRefusal, Refusal, type Words } from '../core/index.ts'
import {
  type BoundFilter,
  clip,
  fault,
  neitherTrueNorFalse,
  oneOf,
  readFilters,
  repeated,
  type SingleValues,
  WITH_COMMAS,
} from './filters.ts'
import { readRanges } from './ranges.ts'
import { readOrder } from './sort.ts'

/** The parsed query string; a repeated name arrives as a list. */
export type ReadParams = Readonly<Record<string, string | readonly string[] | undefined>>

/** Rows of an answer that names no limit; a cross-section has all it may then. */
export const DEFAULT_LIMIT = 50
/** Largest limit a caller may name; the plan may allow less. */
export const MOST_ROWS = 100_000
/** Largest offset a caller may name. */
export const MOST_OFFSET = 1_000_000_000

/** Parameters every read takes, besides the dataset's own filters. */
export const COMMON_PARAMS = [
  'limit',
  'offset',
  'sort',
  'sort_by',
  'sort_order',
  'columns',
  'range',
  'format',
  'bom',
  'release',
  'dry_run',
] as const
/** Those that only reads take which can be sorted otherwise. */
const SORT_PARAMS: readonly string[] = ['sort_by', 'sort_order']
/** Values of `envelope`, the parameter of a dataset whose own envelope is the bare one. */
export const ENVELOPE_FORMS = ['bare', 'full'] as const

/** Rows of an answer that names no limit, before the plan's row limit. */
export const defaultLimit = ({ sectionOf }: Dataset): number => (sectionOf ? MOST_ROWS : DEFAULT_LIMIT)

/** The parameters of a read, checked. */
export interface ReadRequest {
  readonly filters: readonly BoundFilter[]
  readonly columns: readonly string[]
  readonly sort: Order
  readonly limit: number
  readonly offset: number
  /** The caller asked for one row, so no page follows. */
  readonly single: boolean
  /** The caller asked for everything there is to say in the body, where the dataset's own envelope is the bare one. */
  readonly full: boolean
  readonly format: Format
  /** The caller wants CSV to begin with a byte order mark. */
  readonly bom: boolean
  /** Each filter parameter, `range`, `sort` and `columns` in canonical form, null where not sent. */
  readonly sent: Readonly<Record<string, string | null>>
}

/**
 * @param accepted the format that is sent where none is named; null where the caller takes none there is
 * @throws Refusal invalid_parameter or unbounded_read, naming every mistake; format_not_supported
 */
export function readParams(dataset: Dataset, query: ReadParams, accepted: Format | null = FORMATS[0]): ReadRequest {
  const faults: Fault[] = []
  const single = singleValues({ dataset, known: paramsOf(dataset), name: nameOf(dataset) }, query, faults)
  const { filters, sent } = readFilters(dataset, single, faults)
  const ranges = readRanges(dataset, single['range'], faults)
  const limit = wholeNumber('limit', single['limit'], defaultLimit(dataset), [1, MOST_ROWS], faults)
  const offset = wholeNumber('offset', single['offset'], 0, [0, MOST_OFFSET], faults)
  const latest = filters.find(({ op }) => op === 'latest')
  const { order: sort, sent: sortSent } = readOrder(dataset, single, latest, faults)
  if (latest && offset > 0) {
    const words = { en: `${latest.param} has one row; leave offset out`, zh: `${latest.param} 只有一列；請省略 offset` }
    faults.push(fault('offset', words, 'range', single['offset']))
  }
  const columns = chosenColumns(dataset, single['columns'], faults)
  const format = single['format'] === undefined ? accepted : namedFormat(single['format'], faults)
  const bom = wantsMark(single['bom'], format, faults)
  oneOfTwo('dry_run', single['dry_run'], faults)
  const { envelope = 'bare' } = single
  if (!ENVELOPE_FORMS.some(form => form === envelope)) {
    const words = { en: "envelope must be 'bare' or 'full'", zh: "envelope 必須是 'bare' 或 'full'" }
    faults.push(fault('envelope', words, 'enum', envelope))
  }
  refuse(dataset, faults)
  if (format === null) throw notAcceptable(ofDataset(dataset))
  const rows = filters.filter(({ op }) => op !== 'latest')
  return {
    filters: [...rows, ...ranges.filters],
    columns,
    sort,
    limit: latest ? 1 : limit,
    offset,
    single: latest !== undefined,
    full: envelope === 'full',
    format,
    bom,
    sent: { ...sent, range: ranges.sent, sort: sortSent, columns: single['columns'] === undefined ? null : columns.join(',') },
  }
}

/** Parameters that a profile takes beside the filters of its dataset. */
const PROFILE_PARAMS = ['columns', 'range', 'release'] as const

/**
 * What a profile is asked for: filters as a read has them, but the one that keeps the newest row, and columns.
 *
 * @throws Refusal invalid_parameter or unbounded_read, naming every mistake
 */
export function readProfileParams(dataset: Dataset, query: ReadParams): Pick<ReadRequest, 'filters' | 'columns' | 'sent'> {
  const faults: Fault[] = []
  const filtering = Object.entries(dataset.filters).filter(([, { op }]) => op !== 'latest')
  const filtered = { ...dataset, filters: Object.fromEntries(filtering) }
  const known = [...filtering.map(([name]) => name), ...PROFILE_PARAMS.filter(name => isTaken(name, dataset))]
  const single = singleValues({ dataset, known, name: `the profile of ${nameOf(dataset)}` }, query, faults)
  const { filters, sent } = readFilters(filtered, single, faults)
  const ranges = readRanges(dataset, single['range'], faults)
  const columns = chosenColumns(dataset, single['columns'], faults)
  refuse(dataset, faults)
  return {
    filters: [...filters, ...ranges.filters],
    columns,
    sent: { ...sent, range: ranges.sent, columns: single['columns'] === undefined ? null : columns.join(',') },
  }
}

function refuse(dataset: Dataset, faults: readonly Fault[]): void {
  if (faults.length > 0) throw parameterRefusal(dataset, faults, faults.some(isUnbound(dataset)) ? 'unbounded_read' : 'invalid_parameter')
}

const NOT_ACCEPTABLE: Words = {
  en: 'Accept names no format that reads are answered in; name one of the allowed formats in format, or accept */*.',
  zh: 'Accept 未包含可提供的格式；請以 format 指定其中一種，或接受 */*。',
}

/** The refusal of who accepts none of the formats. */
export const notAcceptable = (facts: Facts): Refusal => new Refusal('format_not_supported', { ...facts, allowed: FORMATS }, NOT_ACCEPTABLE)

/** The mistake of who wants a byte order mark before anything but CSV. */
export const markWithoutCsv: Fault = fault('bom', { en: 'bom goes with format=csv', zh: 'bom 須與 format=csv 一併使用' }, 'enum', 'true')

function namedFormat(text: string, faults: Fault[]): Format | null {
  const found = FORMATS.find(format => format === text)
  if (found === undefined) faults.push(fault('format', oneOf('format', FORMATS), 'enum', text))
  return found ?? null
}

/** @returns whether the text says yes; false for nothing */
function oneOfTwo(name: string, text: string | undefined, faults: Fault[]): boolean {
  const value = text === undefined ? false : flagOf(text)
  if (value === undefined) faults.push(neitherTrueNorFalse(name, text!))
  return value === true
}

function wantsMark(text: string | undefined, format: Format | null, faults: Fault[]): boolean {
  const wanted = oneOfTwo('bom', text, faults)
  if (wanted && format !== 'csv') faults.push(markWithoutCsv)
  return wanted
}

/** Tells the mistake of a read that names no key where it must. */
const isUnbound =
  ({ filters, key }: Dataset) =>
  ({ type, loc }: Fault): boolean =>
    type === 'missing' && filters[String(loc[1])]?.column === key

/** True of a parameter of all reads that this dataset's take as well. */
function isTaken(name: string, dataset: Dataset): boolean {
  if (name === 'range') return rangeColumns(dataset).length > 0
  return dataset.sortable.length > 0 || !SORT_PARAMS.includes(name)
}

/** Parameter names by dataset: every read needs them. */
const params = new WeakMap<Dataset, readonly string[]>()

function paramsOf(dataset: Dataset): readonly string[] {
  const own = Object.keys(dataset.filters)
  const common = COMMON_PARAMS.filter(name => isTaken(name, dataset))
  const known = params.get(dataset) ?? [...own, ...common, ...(dataset.envelope.kind === 'A-bare' ? ['envelope'] : [])]
  params.set(dataset, known)
  return known
}

/** What a refusal calls that which is read. */
const nameOf = ({ slug, sectionOf }: Dataset): string => (sectionOf ? `${slug}/cross-section` : slug)

/** What is asked, and the parameters it takes. */
interface Asked {
  readonly dataset: Dataset
  readonly known: readonly string[]
  readonly name: string
}

/** Keeps one value per name; unknown and repeated names are added to `faults`. */
function singleValues({ dataset, known, name: of }: Asked, query: ReadParams, faults: Fault[]): SingleValues {
  const single: Record<string, string> = {}
  for (const [name, value] of Object.entries(query)) {
    if (!known.includes(name)) {
      const isRanged = known.includes('range') && rangeColumns(dataset).includes(name)
      const guess = isRanged ? `range=${name}:<from>..<to>` : nearestParam(name, known)
      const words = {
        en: `${clip(name)} is not a parameter of ${of}${guess ? `; did you mean ${guess}?` : `; known: ${known.join(', ')}`}`,
        zh: `${clip(name)} 不是 ${of} 的參數；${guess ? `您是指 ${guess} 嗎？` : `可用的參數：${known.join('、')}`}`,
      }
      faults.push(fault(clip(name), words, 'unknown_parameter'))
    } else if (typeof value !== 'string') {
      const isList = name === 'columns' || name === 'sort' || name === 'range' || dataset.filters[name]?.op === 'in'
      faults.push(fault(name, repeated(name, isList ? WITH_COMMAS : null), 'repeated_parameter'))
    } else single[name] = value
  }
  return single
}

function wholeNumber(
  name: string,
  text: string | undefined,
  absent: number,
  [least, most]: readonly [number, number],
  faults: Fault[],
): number {
  if (text === undefined) return absent
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= most) return value
  const words = { en: `${name} must be an integer from ${least} to ${most}`, zh: `${name} 必須是 ${least} 至 ${most} 的整數` }
  faults.push(fault(name, words, 'int_range', text))
  return absent
}

function chosenColumns(dataset: Dataset, text: string | undefined, faults: Fault[]): readonly string[] {
  const all = allColumns(dataset)
  if (text === undefined) return all
  const chosen = text.split(',').map(name => name.trim())
  const unknown = chosen.filter(name => !all.includes(name))
  if (unknown.length > 0) {
    const guess = nearest(unknown[0]!, all)
    const words = {
      en: `columns may name ${all.join(', ')}${guess ? `; did you mean ${guess}?` : ''}`,
      zh: `columns 可指定的欄位：${all.join('、')}${guess ? `；您是指 ${guess} 嗎？` : ''}`,
    }
    faults.push(fault('columns', words, 'enum', unknown[0]))
  } else if (new Set(chosen).size !== chosen.length) {
    const words = { en: 'columns names one column twice', zh: 'columns 重複指定同一欄位' }
    faults.push(fault('columns', words, 'repeated_value', text))
  }
  return chosen.length === all.length && chosen.every((name, index) => name === all[index]) ? all : chosen
}
