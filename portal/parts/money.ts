import { LANGUAGE, LOCALE } from './language.ts'

/** Formats a price, for example `TWD 990` or `990 元`. The amount is in minor units. */
export function money(amount: number, currency: string): string {
  const decimals = { maximumFractionDigits: 2, minimumFractionDigits: 0 }
  if (LANGUAGE === 'zh' && currency === 'TWD') return `${new Intl.NumberFormat(LOCALE, decimals).format(amount / 100)} 元`
  return new Intl.NumberFormat(LOCALE, { ...decimals, style: 'currency', currency, currencyDisplay: 'code' }).format(amount / 100)
}
