import { display } from './display.ts'
import { compact, isAmount, type Measure } from './figures.ts'
import { fixed, LANGUAGE, number, say, signed } from './language.ts'
import { isPhone } from './phone.ts'

const [LOT, THOUSAND] = [1_000, 1_000]
const DASH = '–'

const isNone = (value: number | null | undefined): value is null | undefined => value === null || value === undefined

/**
 * Creates a format.
 *
 * @param write returns the number without sign and unit
 */
function measure(unit: string, write: (value: number) => string, exact: Measure['exact'], axis = write): Measure {
  const space = unit === '' || unit === '%' || LANGUAGE === 'zh' ? '' : ' '
  const withUnit = (text: string) =>
    unit === '' ? text : `${text}${LANGUAGE === 'zh' && /\d$/.test(text) && unit !== '%' ? ' ' : space}${unit}`
  const plain = (value: number | null | undefined) => (isNone(value) ? DASH : write(value))
  return {
    unit,
    plain,
    text: value => (isNone(value) ? DASH : withUnit(write(value))),
    signed: value => (isNone(value) ? DASH : withUnit(`${value > 0 ? '+' : ''}${write(value)}`)),
    axis,
    exact,
  }
}

const exactly =
  (unit: string): Measure['exact'] =>
  value =>
    isNone(value) ? DASH : `${number(value, 6)} ${unit}`.trimEnd()

const isFull = (): boolean => display.value.amounts === 'full'
const amount = (value: number): string => (isFull() ? number(value, 6) : compact(value, LANGUAGE, true))
/** Formats all digits in the full setting, except on phones, which are too narrow for them. */
const onAxis = (value: number): string =>
  isFull() && !isPhone.value ? number(value, Math.abs(value) < 1_000 ? 2 : 0) : compact(value, LANGUAGE)

export function sharesMeasure(): Measure {
  const exact = exactly(say({ en: 'shares', zh: '股' }))
  if (display.value.volume === 'shares') return measure(say({ en: 'shares', zh: '股' }), amount, exact, onAxis)
  const lots = (value: number) => number(value / LOT, isFull() || Math.abs(value) < 10 * LOT ? 3 : 0)
  return measure(say({ en: 'lots', zh: '張' }), lots, exact, value => onAxis(value / LOT))
}

export const moneyMeasure = (): Measure => measure(say({ en: 'TWD', zh: '元' }), amount, exactly(say({ en: 'TWD', zh: '元' })), onAxis)

function thousandsMeasure(): Measure {
  const unit = say({ en: 'TWD thousand', zh: '千元' })
  if (isFull()) return measure(unit, amount, exactly(unit), onAxis)
  return measure(
    moneyMeasure().unit,
    value => amount(value * THOUSAND),
    exactly(unit),
    value => onAxis(value * THOUSAND),
  )
}

const twoDecimals = (value: number): string => fixed(value, 2)

export const priceMeasure = (): Measure => {
  const unit = say({ en: 'TWD', zh: '元' })
  return measure(unit, twoDecimals, exactly(unit), value => number(value))
}

export const percentMeasure = (): Measure =>
  measure(
    '%',
    twoDecimals,
    value => (isNone(value) ? DASH : `${number(value, 6)}%`),
    value => `${number(value)}%`,
  )

export const plainMeasure = (unit = ''): Measure => measure(unit, value => number(value), exactly(unit))

/** Formats a change in percent, with sign and two decimals. Null becomes a dash. */
export const changeText = (value: number | null | undefined): string => (isNone(value) ? DASH : `${signed(value)}%`)

/** Returns a measure whose texts have all digits. */
export const exactMeasure = (measure: Measure): Measure => ({
  ...measure,
  text: measure.exact,
  signed: value => `${(value ?? 0) > 0 ? '+' : ''}${measure.exact(value)}`,
})

type UnitColumn = Parameters<typeof isAmount>[0]

/** Returns the measure of share counts and amounts of money. Null for other columns. */
export function amountMeasureOf(column: UnitColumn): Measure | null {
  if (!isAmount(column)) return null
  return column.unit === 'shares' ? sharesMeasure() : column.unit === 'TWD' ? moneyMeasure() : thousandsMeasure()
}

/** Returns the displayed unit of share counts, and its size in shares. Null for other columns. */
export const shareUnitOf = (column: UnitColumn): { readonly unit: string; readonly size: number } | null =>
  column.unit === 'shares' && isAmount(column) ? { unit: sharesMeasure().unit, size: display.value.volume === 'lots' ? LOT : 1 } : null

export function measureOf(column: UnitColumn): Measure {
  const [amounts, { unit }] = [amountMeasureOf(column), column]
  if (amounts) return amounts
  if (unit === 'TWD per share') return priceMeasure()
  if (unit === 'percent') return percentMeasure()
  return plainMeasure()
}
