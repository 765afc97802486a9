import { z } from 'zod'
import { type Catalog, PRODUCTS } from '../../../../catalog/index.ts'
import { WINDOW_NAMES, WINDOW_PATTERN } from '../../../usage/index.ts'
import { datasetName, oneOfWords, pattern } from '../../kernel/index.ts'

const ONE_WINDOW = oneOfWords(WINDOW_NAMES)
const A_WINDOW = { en: `${ONE_WINDOW.en} between 2000-01 and 2099-12`, zh: `${ONE_WINDOW.zh}（月份為 2000-01 至 2099-12）` }

export const usageQuery = (catalog: Catalog) =>
  z.object({
    window: pattern(WINDOW_PATTERN, A_WINDOW, 'month', {
      doc: 'Window of Taipei days: `today`, `7d` (7 days up to today), `30d` (30 days up to today), `month` (current calendar month), `last_month`, or a calendar month as YYYY-MM.',
      example: '30d',
    }),
    dataset: datasetName(
      catalog,
      { doc: 'Product whose usage to return: slug or id of a dataset, `search` or `query`.', example: 'securities-firm-master' },
      PRODUCTS,
    ),
  })

/** Undefined on the last page. */
export function linkToOlder(path: string, query: Readonly<Record<string, unknown>>, before: string | number | null): string | undefined {
  if (before === null) return undefined
  const next = new URLSearchParams()
  for (const [name, value] of Object.entries<unknown>({ ...query, before }))
    if (value !== null && value !== false) next.set(name, String(value))
  return `<${path}?${next}>; rel="next"`
}
