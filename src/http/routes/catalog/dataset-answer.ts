import { z } from 'zod'
import { FAMILIES } from '../../../../catalog/index.ts'
import { FRESHNESS_STATES } from '../../../calendar/index.ts'
import { SERVING_STATUSES } from '../../../releases/index.ts'
import { count } from '../../kernel/index.ts'

/** What every view of a dataset says alike. */
export const DatasetId = z.string().meta({ description: 'Id of the dataset, as its reads state it.', example: 'bond_yield_curve' })

export const Family = z.enum(FAMILIES).meta({ id: 'Family', description: 'Family the dataset belongs to.' })

export const ServingStatus = z.enum(SERVING_STATUSES).meta({
  id: 'ServingStatus',
  description:
    'building: no release yet. verified, reference, preview: served. degraded: the newest release is damaged and an older one is served. unavailable: no release passes its check; reads are refused with 503.',
})

export const FreshnessState = z.enum(FRESHNESS_STATES).meta({
  id: 'FreshnessState',
  description:
    'fresh: holds everything that should be out. due: the newest is overdue by less than 12 hours (trading days), 2 days (weeks) or 3 days (months, quarters). late: by more, or the newest release is damaged. static: changes only when its source does. building: never published.',
})

export const Labels = z.array(z.string()).meta({
  description: 'snake_case labels. synthetic_sample_data: the rows are made up for trying the service, not market data.',
})

/** Days and numbers of what the served release holds. */
export const HELD = {
  row_count: count('Rows; null while no release passes its check.').nullable(),
  symbols_count: count(
    'Distinct keys: tickers where the dataset is by ticker, else tenors, firms, branches or indices; null while no release passes its check.',
  ).nullable(),
  first_date: z.iso.date().nullable().meta({ description: 'First day of the data; null without rows, or without dates.' }),
  last_date: z.iso.date().nullable().meta({ description: 'Last day of the data; null without rows, or without dates.' }),
}

export const ReleaseVersion = z
  .string()
  .nullable()
  .meta({ description: 'The served release, as reads name it in X-Release; null where none is served.' })
