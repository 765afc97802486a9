import { display } from './display.ts'
import { compact, type Measure } from './figures.ts'
import { fixed, LANGUAGE, number, say, signed } from './language.ts'

const LOT = 1_000
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
    isNone(value) ? DASH : `${number(value, 6)} ${unit}`

const amount = (value: number): string => (display.value.amounts === 'compact' ? compact(value, LANGUAGE, true) : number(value, 0))
const onAxis = (value: number): string => compact(value, LANGUAGE)

export function sharesMeasure(): Measure {
  const exact = exactly(say({ en: 'shares', zh: '股' }))
  if (display.value.volume === 'shares') return measure(say({ en: 'shares', zh: '股' }), amount, exact, onAxis)
  const lots = (value: number) => number(value / LOT, Math.abs(value) < 10 * LOT ? 3 : 0)
  return measure(say({ en: 'lots', zh: '張' }), lots, exact, value => compact(value / LOT, LANGUAGE))
}

export const moneyMeasure = (): Measure => measure(say({ en: 'TWD', zh: '元' }), amount, exactly(say({ en: 'TWD', zh: '元' })), onAxis)

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
    value => number(value),
  )

export const plainMeasure = (unit = ''): Measure => measure(unit, value => number(value), exactly(unit))

/** Formats a change in percent, with sign and two decimals. Null becomes a dash. */
export const changeText = (value: number | null | undefined): string => (isNone(value) ? DASH : `${signed(value)}%`)

export function measureOf(unit: string | null): Measure {
  if (unit === 'shares') return sharesMeasure()
  if (unit === 'TWD') return moneyMeasure()
  if (unit === 'TWD per share') return priceMeasure()
  if (unit === 'percent') return percentMeasure()
  return plainMeasure()
}
