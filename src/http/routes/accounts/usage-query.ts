import { z } from 'zod'
import { type Catalog, PRODUCTS } from '../../../../catalog/index.ts'
import { WINDOW_NAMES, WINDOW_PATTERN } from '../../../usage/index.ts'
import { datasetName, oneOfWords, pattern } from '../../kernel/index.ts'

const ONE_WINDOW = oneOfWords(WINDOW_NAMES)
const A_WINDOW = { en: `${ONE_WINDOW.en} of 2000-01 to 2099-12`, zh: `${ONE_WINDOW.zh}（2000-01 至 2099-12）` }

/** Which days and which dataset of an account's usage are asked for. */
export const usageQuery = (catalog: Catalog) =>
  z.object({
    window: pattern(WINDOW_PATTERN, A_WINDOW, 'month', {
      doc: 'Days to look at, in Taipei: today, 7d and 30d end today; month and last_month are calendar months, as is a month by its name.',
      example: '30d',
    }),
    dataset: datasetName(
      catalog,
      { doc: 'Look at one dataset only, by its slug or its id, or search or query.', example: 'securities-firm-master' },
      PRODUCTS,
    ),
  })
