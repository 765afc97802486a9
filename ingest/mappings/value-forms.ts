import type { Column } from '../../catalog/index.ts'

export interface Foreign {
  readonly name: string
  readonly values: readonly string[]
  /** Declared pattern of the column, if any. */
  readonly pattern: string | undefined
  /** Empty if the dataset does not restrict the values. */
  readonly allowed: readonly string[]
}

/** Returns conversions that make all values valid. Undefined if there are none. */
export function fitting(column: Column, foreign: Foreign): readonly string[] | undefined {
  const { values } = foreign
  // Without values, only the names decide.
  if (values.length === 0) return []
  if (NUMERIC.includes(column.type) && values.some(value => SIGNED.test(value))) return fittingPercent(column, values)
  const form = FORMS[column.type].find(({ matches }) => values.every(value => matches(value.trim())))
  if (column.type === 'text') return fittingText(foreign)
  if (form === undefined) return undefined
  const isNumber = NUMERIC.includes(column.type)
  const hasDashes = isNumber && values.some(value => isDash(value.trim()))
  if (hasDashes && !column.nullable) return undefined
  return [...(hasDashes ? ['dash→absent'] : []), ...form.units, ...(isNumber ? scaleOf(column, foreign) : [])]
}

const NUMERIC: readonly Column['type'][] = ['number', 'integer']
const SIGNED = /[%％]\s*$/

/** Returns the conversion for values such as 12.5%. */
function fittingPercent({ unit, nullable }: Column, values: readonly string[]): readonly string[] | undefined {
  const [dashes, rest] = [values.filter(value => isDash(value.trim())), values.filter(value => !isDash(value.trim()))]
  if ((unit !== 'ratio' && unit !== 'percent') || !rest.every(value => /^\s*[+-]?(\d+\.?\d*|\.\d+)\s*[%％]\s*$/.test(value)))
    return undefined
  if (dashes.length > 0 && !nullable) return undefined
  return [...(dashes.length > 0 ? ['dash→absent'] : []), unit === 'ratio' ? 'percent→ratio' : 'percent→number']
}

interface Form {
  readonly matches: (value: string) => boolean
  readonly units: readonly string[]
}

const form = (pattern: RegExp, ...units: readonly string[]): Form => ({ matches: value => pattern.test(value), units })
const isDash = (value: string): boolean => /^(-+|N\/A|)$/.test(value)
const numbers = (pattern: RegExp, ...units: readonly string[]): Form => ({ matches: value => isDash(value) || pattern.test(value), units })

const NUMBERS: readonly Form[] = [
  numbers(/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/),
  numbers(/^[+-]?(\d+|\d{1,3}(,\d{3})+)(\.\d*)?$/, 'commas→number'),
]

const FORMS: Readonly<Record<Column['type'], readonly Form[]>> = {
  text: [],
  date: [
    form(/^\d{4}-\d\d-\d\d$/),
    form(/^((19|20)\d{6}|\d{4}[/.\-年]\d{1,2}[/.\-月]\d{1,2}日?([ T]00:00:00(\.0+)?Z?)?)$/, 'western→date'),
    form(/^(\d{6,7}|\d{2,3}[/.\-年]\d{1,2}[/.\-月]\d{1,2}日?)$/, 'roc→date'),
  ],
  timestamp: [form(/^\d{4}-\d\d-\d\d[ T]\d\d:\d\d.*(Z|[+-]\d\d(:?\d\d)?)$/)],
  number: NUMBERS,
  integer: NUMBERS,
  boolean: [form(/^(true|false)$/i)],
  json: [form(/^[[{"]/)],
}

const MARKET_WORD = /^(TWSE|TSE|SII|L|上市|集中市場|TPEX|OTC|O|上櫃|櫃買)$/i

function fittingText({ values, pattern, allowed }: Foreign): readonly string[] | undefined {
  if (allowed.length > 0) {
    if (values.every(value => allowed.includes(value))) return []
    return allowed.includes('TWSE') && values.every(value => MARKET_WORD.test(value.trim())) ? ['market→code'] : undefined
  }
  if (pattern === undefined) return []
  const whole = new RegExp(`^(?:${pattern})$`)
  if (values.every(value => whole.test(value))) return []
  return values.every(value => whole.test(value.trim())) ? ['trim'] : undefined
}

/** Units in headings, with the conversions to the units of the dataset. */
const SCALES: readonly (readonly [said: RegExp, unit: Column['unit'], conversion: string])[] = [
  [/千股|張數|\(張\)|（張）|lots/i, 'shares', 'lots→shares'],
  [/百萬|million/i, 'TWD', 'million→TWD'],
  [/[千仟]元|thousand/i, 'TWD', 'thousand→TWD'],
  [/百萬|million/i, 'TWD thousand', 'million→thousand'],
  [/%|％|percent|pct/i, 'ratio', 'percent→ratio'],
]

/**
 * True if the heading ends in "ratio" and no value exceeds 1. Some services call percentages
 * ratios.
 */
const isShare = ({ name, values }: Foreign): boolean =>
  /(^|[\s_])ratio$/i.test(name) && values.every(value => !(Math.abs(Number(value)) > 1))

function scaleOf({ unit }: Column, foreign: Foreign): readonly string[] {
  if (unit === 'percent') return isShare(foreign) ? ['ratio→percent'] : []
  const scale = SCALES.find(([said, ours]) => unit === ours && said.test(foreign.name))
  return scale ? [scale[2]] : []
}
