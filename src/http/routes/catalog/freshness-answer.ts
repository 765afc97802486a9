import { z } from 'zod'
import { CADENCES } from '../../../../catalog/index.ts'
import { calendarDay, count, timestamp } from '../../kernel/index.ts'
import { DatasetId, FreshnessState, Labels, ReleaseVersion } from './dataset-answer.ts'

export const Freshness = z
  .object({
    dataset: DatasetId,
    freshness_state: FreshnessState,
    freshness_as_of: calendarDay(
      'Day up to which nothing that usually comes is outstanding: a day that only one of two markets has reported, or a quarter few companies have filed for, does not count yet; where most days have no rows, the last day looked at. Null where nothing is served.',
    ).nullable(),
    last_published_at: timestamp('When the served release was published; null where none is served.').nullable(),
    cadence: z
      .enum(CADENCES)
      .meta({ description: 'How often new data is due. quarter follows the statutory filing deadlines. on_change has no date.' }),
    expected_at: timestamp(
      'When the newest data that should exist was due. A month’s or quarter’s date on which the market is closed moves to the next trading day. Null for on_change and where nothing is served.',
    ).nullable(),
    next_expected_at: timestamp(
      'When data newer than what is held is due next; null for on_change and where nothing is served.',
    ).nullable(),
    lag_days: count(
      'trading_day: trading days that are missing. Slower cadences: whole days since the oldest missing data was due. Null for on_change and where nothing is served.',
    ).nullable(),
    release_version: ReleaseVersion,
    warnings: Labels,
  })
  .meta({ id: 'Freshness' })
