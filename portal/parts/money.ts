import { LOCALE } from './language.ts'

/** Formats a price. The amount is in minor units, such as cents. */
export const money = (amount: number, currency: string): string =>
  new Intl.NumberFormat(LOCALE, {
    style: 'currency',
    currency,
    currencyDisplay: 'code',
    maximumFractionDigits: 2,
    minimumFractionDigits: 0,
  }).format(amount / 100)
