import { allColumns, type Dataset, FORMATS, type Format, type Order, rangeColumns } from '../../catalog/index.ts'
import { type Facts, type Fault, flagOf, nearest, nearestParam, ofDataset, parameterRefusal, Refusal, type Words } from '../core/index.ts'
import { type AsOf, readAsOf } from './as-of.ts'
import {
  type BoundFilter,
  clip,
  fault,
  KNOWN_BY,
  notABoolean,
  oneOf,
  readFilters,
  repeated,
  type SingleValues,
  WITH_COMMAS,
} from './filters.ts'
import { readOrder } from './order.ts'
import { readRanges } from './ranges.ts'

/** A list if the parameter was sent several times. */
export type ReadParams = Readonly<Record<string, string | readonly string[] | undefined>>

/** Reads of all rows of one day have no default limit. */
export const DEFAULT_LIMIT = 50
/** A plan may have a lower limit. */
export const MOST_ROWS = 100_000
export const MOST_OFFSET = 1_000_000_000

/** Every dataset accepts these parameters. */
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
  'as_of',
  'dry_run',
] as const
/** Only for datasets with sortable columns. */
const SORT_PARAMS: readonly string[] = ['sort_by', 'sort_order']
/** Values of the parameter `envelope`. */
export const ENVELOPE_FORMS = ['bare', 'full'] as const

/** Some datasets return all rows of a day by default. */
export const defaultLimit = ({ sectionOf }: Dataset): number => (sectionOf ? MOST_ROWS : DEFAULT_LIMIT)

export interface ReadRequest {
  readonly filters: readonly BoundFilter[]
  readonly columns: readonly string[]
  readonly sort: Order
  readonly limit: number
  /** True if the default limit may omit rows. False for a single row or all rows of one day. */
  readonly isDefaultLimit: boolean
  readonly offset: number
  readonly single: boolean
  /** True for `envelope=full`. */
  readonly full: boolean
  readonly format: Format
  readonly bom: boolean
  /** Canonical values of `range`, `sort`, `columns` and the filters. Null if not sent. */
  readonly sent: Readonly<Record<string, string | null>>
  readonly asOf: AsOf | null
}

/**
 * @param accepted format of the Accept header, in case there is no `format` parameter; null if no
 * format is acceptable
 * @throws Refusal invalid_parameter or unbounded_read, each with all errors; format_not_supported
 */
export function readParams(dataset: Dataset, query: ReadParams, accepted: Format | null = FORMATS[0]): ReadRequest {
  const faults: Fault[] = []
  const single = singleValues({ dataset, acceptedParams: paramsOf(dataset), name: nameOf(dataset) }, query, faults)
  const { filters, sent } = readFilters(dataset, single, faults)
  const ranges = readRanges(dataset, single['range'], faults)
  const limit = wholeNumber('limit', single['limit'], defaultLimit(dataset), [1, MOST_ROWS], faults)
  const offset = wholeNumber('offset', single['offset'], 0, [0, MOST_OFFSET], faults)
  const latest = filters.find(({ op }) => op === 'latest')
  const { order: sort, sent: sortSent } = readOrder(dataset, single, latest, faults)
  if (latest && offset > 0) {
    const words = { en: `${latest.param} returns one row: omit offset`, zh: `${latest.param} 只有一列；請省略 offset` }
    faults.push(fault('offset', words, 'range', single['offset']))
  }
  const columns = readColumns(dataset, single['columns'], faults)
  const format = single['format'] === undefined ? accepted : readFormat(single['format'], faults)
  const bom = readBom(single['bom'], format, faults)
  const asOf = readAsOf(single, faults)
  readFlag('dry_run', single['dry_run'], faults)
  const { envelope = 'bare' } = single
  if (!ENVELOPE_FORMS.some(form => form === envelope)) {
    const words = { en: "envelope must be 'bare' or 'full'", zh: "envelope 必須是 'bare' 或 'full'" }
    faults.push(fault('envelope', words, 'enum', envelope))
  }
  refuse(dataset, faults)
  if (format === null) throw notAcceptable(ofDataset(dataset))
  const rows = filters.filter(({ op }) => op !== 'latest')
  return {
    filters: [...rows, ...ranges.filters, ...knownBy(dataset, asOf)],
    columns,
    sort,
    limit: latest ? 1 : limit,
    isDefaultLimit: !latest && !dataset.sectionOf && single['limit'] === undefined,
    offset,
    single: latest !== undefined,
    full: envelope === 'full',
    format,
    bom,
    sent: { ...sent, range: ranges.sent, sort: sortSent, columns: single['columns'] === undefined ? null : columns.join(',') },
    asOf,
  }
}

const PROFILE_PARAMS = ['columns', 'range', 'release', 'as_of'] as const

/**
 * Parses the parameters of a profile, which does not support the filter `latest`.
 * @throws Refusal invalid_parameter or unbounded_read, each with all errors
 */
export function readProfileParams(dataset: Dataset, query: ReadParams): Pick<ReadRequest, 'filters' | 'columns' | 'sent' | 'asOf'> {
  const faults: Fault[] = []
  const filterEntries = Object.entries(dataset.filters).filter(([, { op }]) => op !== 'latest')
  const withoutLatest = { ...dataset, filters: Object.fromEntries(filterEntries) }
  const acceptedParams = [...filterEntries.map(([name]) => name), ...PROFILE_PARAMS.filter(name => isAccepted(name, dataset))]
  const single = singleValues({ dataset, acceptedParams, name: `the profile of ${nameOf(dataset)}` }, query, faults)
  const { filters, sent } = readFilters(withoutLatest, single, faults)
  const ranges = readRanges(dataset, single['range'], faults)
  const columns = readColumns(dataset, single['columns'], faults)
  const asOf = readAsOf(single, faults)
  refuse(dataset, faults)
  return {
    filters: [...filters, ...ranges.filters, ...knownBy(dataset, asOf)],
    columns,
    sent: { ...sent, range: ranges.sent, columns: single['columns'] === undefined ? null : columns.join(',') },
    asOf,
  }
}

function refuse(dataset: Dataset, faults: readonly Fault[]): void {
  if (faults.length > 0)
    throw parameterRefusal(dataset, faults, faults.some(isMissingKey(dataset)) ? 'unbounded_read' : 'invalid_parameter')
}

const NOT_ACCEPTABLE: Words = {
  en: 'Accept contains no supported format: specify one in format, or send Accept: */*.',
  zh: 'Accept 未包含可提供的格式；請以 format 指定其中一種，或傳送 Accept: */*。',
}

export const notAcceptable = (facts: Facts): Refusal => new Refusal('format_not_supported', { ...facts, allowed: FORMATS }, NOT_ACCEPTABLE)

export const bomWithoutCsv: Fault = fault('bom', { en: 'bom requires format=csv', zh: 'bom 須與 format=csv 一併使用' }, 'enum', 'true')

/**
 * Returns the filter that excludes rows announced after the day of `as_of`. Empty without `as_of`,
 * or if the dataset has no announcement column.
 */
const knownBy = ({ knownAt }: Dataset, asOf: AsOf | null): readonly BoundFilter[] =>
  asOf && knownAt !== undefined ? [{ param: 'as_of', column: knownAt, op: KNOWN_BY, values: [asOf.day] }] : []

function readFormat(text: string, faults: Fault[]): Format | null {
  const format = FORMATS.find(format => format === text)
  if (format === undefined) faults.push(fault('format', oneOf('format', FORMATS), 'enum', text))
  return format ?? null
}

function readFlag(name: string, text: string | undefined, faults: Fault[]): boolean {
  const value = text === undefined ? false : flagOf(text)
  if (value === undefined) faults.push(notABoolean(name, text!))
  return value === true
}

function readBom(text: string | undefined, format: Format | null, faults: Fault[]): boolean {
  const wanted = readFlag('bom', text, faults)
  if (wanted && format !== 'csv') faults.push(bomWithoutCsv)
  return wanted
}

const isMissingKey =
  ({ filters, key }: Dataset) =>
  ({ type, loc }: Fault): boolean =>
    type === 'missing' && filters[String(loc[1])]?.column === key

function isAccepted(name: string, dataset: Dataset): boolean {
  if (name === 'range') return rangeColumns(dataset).length > 0
  return dataset.sortable.length > 0 || !SORT_PARAMS.includes(name)
}

const paramNames = new WeakMap<Dataset, readonly string[]>()

function paramsOf(dataset: Dataset): readonly string[] {
  const cachedNames = paramNames.get(dataset)
  if (cachedNames) return cachedNames
  const own = Object.keys(dataset.filters)
  const common = COMMON_PARAMS.filter(name => isAccepted(name, dataset))
  const acceptedParams = [...own, ...common, ...(dataset.envelope.kind === 'A-bare' ? ['envelope'] : [])]
  paramNames.set(dataset, acceptedParams)
  return acceptedParams
}

const nameOf = ({ slug, sectionOf }: Dataset): string => (sectionOf ? `${slug}/cross-section` : slug)

interface ParameterScope {
  readonly dataset: Dataset
  readonly acceptedParams: readonly string[]
  readonly name: string
}

/** Adds an error to `faults` for each unknown or repeated parameter. */
function singleValues({ dataset, acceptedParams, name: resource }: ParameterScope, query: ReadParams, faults: Fault[]): SingleValues {
  const single: Record<string, string> = {}
  for (const [name, value] of Object.entries(query)) {
    if (!acceptedParams.includes(name)) {
      const hasRange = acceptedParams.includes('range') && rangeColumns(dataset).includes(name)
      const guess = hasRange ? `range=${name}:<from>..<to>` : nearestParam(name, acceptedParams)
      const words = {
        en: `${clip(name)} is not a parameter of ${resource}${guess ? `; did you mean ${guess}?` : `; accepted: ${acceptedParams.join(', ')}`}`,
        zh: `${clip(name)} 不是 ${resource} 的參數；${guess ? `您是指 ${guess} 嗎？` : `可用的參數：${acceptedParams.join('、')}`}`,
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

function readColumns(dataset: Dataset, text: string | undefined, faults: Fault[]): readonly string[] {
  const all = allColumns(dataset)
  if (text === undefined) return all
  const chosen = text.split(',').map(name => name.trim())
  const unknown = chosen.filter(name => !all.includes(name))
  if (unknown.length > 0) {
    const guess = nearest(unknown[0]!, all)
    const words = {
      en: `columns accepts ${all.join(', ')}${guess ? `; did you mean ${guess}?` : ''}`,
      zh: `columns 可指定的欄位：${all.join('、')}${guess ? `；您是指 ${guess} 嗎？` : ''}`,
    }
    faults.push(fault('columns', words, 'enum', unknown[0]))
  } else if (new Set(chosen).size !== chosen.length) {
    const words = { en: 'columns contains a column twice', zh: 'columns 重複指定同一欄位' }
    faults.push(fault('columns', words, 'repeated_value', text))
  }
  return chosen.length === all.length && chosen.every((name, index) => name === all[index]) ? all : chosen
}
