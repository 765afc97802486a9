import { FORMATS, type Format } from '../../../catalog/index.ts'
import { inputRefusal } from '../../core/index.ts'
import { ENCODERS } from '../../formats/index.ts'
import { bomWithoutCsv, notAcceptable } from '../../read/index.ts'
import { acceptable, weighed } from './negotiation.ts'
import { choice, flag } from './params.ts'

const DEFAULT: Format = FORMATS[0]

/** Formats with their media types, without parameters. */
const TYPES = FORMATS.map(format => [format, ENCODERS[format].mediaType.split(';')[0]!] as const)

/** Only refusals have this format. */
const PROBLEM = 'application/problem+json'

/**
 * Returns the most preferred format. JSON if the header accepts anything. Null if no format is
 * supported.
 */
export function acceptedFormat(header: string | undefined): Format | null {
  if (header === undefined || header === '*/*') return DEFAULT
  const named = new Set(weighed(header).map(({ value }) => value))
  if (named.size === 0) return DEFAULT
  for (const { value } of acceptable(header)) {
    if (value === PROBLEM) return DEFAULT
    const found = TYPES.find(([, type]) => value === type || (!named.has(type) && covers(value, type)))
    if (found) return found[0]
  }
  return null
}

const covers = (range: string, type: string): boolean => range === '*/*' || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)))

const FILES: ReadonlySet<Format> = new Set(['csv', 'arrow', 'parquet'])

/**
 * Undefined for formats that are not saved as files.
 * @param name file name without extension
 */
export const dispositionOf = (format: Format, name: string): string | undefined =>
  FILES.has(format) ? `attachment; filename="${name}.${ENCODERS[format].extension}"` : undefined

export const FORMAT_PARAMS = {
  format: choice(FORMATS, { doc: 'Format of the response. Default: as in the `Accept` header.' }),
  bom: flag(false, { doc: 'Adds a byte order mark to CSV, so that Excel recognizes UTF-8.' }),
}

interface FormattedCall {
  readonly query: { readonly format: Format | null; readonly bom: boolean }
  readonly accepted: Format | null
}

/**
 * Prefers the parameter to `Accept`.
 * @throws Refusal format_not_supported. invalid_parameter for a byte order mark with a format other
 * than CSV
 */
export function formatOf({ query, accepted }: FormattedCall): Format {
  const format = query.format ?? accepted
  if (format === null) throw notAcceptable({})
  if (query.bom && format !== 'csv') throw inputRefusal([bomWithoutCsv])
  return format
}
