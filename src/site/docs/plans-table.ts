import { PLANS } from '../../../catalog/index.ts'

export const plansTable = (): readonly string[] => [
  '| plan | price per month | credits per month | rows per response | requests per minute | concurrent requests |',
  '|---|---|---|---|---|---|',
  ...Object.values(PLANS).map(({ name, price, creditsPerMonth, rowLimit, requestsPerMinute, requestsAtOnce }) => {
    const cells = [`${price.amount / 100} ${price.currency}`, creditsPerMonth, rowLimit, requestsPerMinute, requestsAtOnce]
    return `| ${name.replaceAll('|', '\\|')} | ${cells.map(cell => cell.toLocaleString('en')).join(' | ')} |`
  }),
]

/** Replaces the table of plans in a guide by the current plans. */
export const withPlans = (text: string): string =>
  text.replace(/(<!-- plans -->\n\n)[\s\S]*?(\n\n<!-- \/plans -->)/, (_, before, after) => before + plansTable().join('\n') + after)
