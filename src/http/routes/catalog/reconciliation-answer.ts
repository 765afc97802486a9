import { z } from 'zod'
import { BADGES } from '../../../discovery/index.ts'

const Badge = z.enum(BADGES).meta({
  description:
    'verified: every row was compared and agrees; partial: all that could be compared agree; mismatch: some do not; not_checked: nothing was compared, or the rows are samples.',
})

const Counts = {
  rows: z.int().nonnegative().meta({ description: 'Rows there are to compare.' }),
  rows_compared: z.int().nonnegative(),
  matched: z.int().nonnegative(),
  mismatched: z.int().nonnegative(),
  match_ratio: z.number().min(0).max(1).nullable().meta({ description: 'matched over rows_compared; null where nothing was compared.' }),
}
const At = z.iso.datetime({ offset: true })

const Comparison = z
  .object({
    method: z.string(),
    dataset: z.string().meta({ description: 'Whose rows were compared: the dataset itself, or one whose columns it takes over.' }),
    source: z.string().meta({ description: 'What they were compared with.' }),
    description: z.string().nullable(),
    badge: Badge,
    compared_at: At,
    ...Counts,
    release_version: z.string().meta({ description: 'Release whose rows were compared.' }),
    against_release: z
      .string()
      .nullable()
      .meta({ description: 'Release they were compared with, where that is a dataset here and published.' }),
  })
  .meta({ id: 'Comparison' })

export const Reconciliation = z
  .object({
    dataset: z.string(),
    badge: Badge,
    method: z
      .string()
      .nullable()
      .meta({ description: 'The comparison that decides the badge, the worst of `methods`; null before the first release.' }),
    source: z.string().nullable(),
    compared_at: At.nullable(),
    ...Counts,
    release_version: z.string().nullable(),
    synthetic: z.boolean().meta({ description: 'The rows are samples; whatever their counts, they prove nothing.' }),
    unchecked: z
      .array(z.string())
      .meta({ description: 'Comparisons that could not be made; with any of them the badge is partial at best.' }),
    methods: z.array(Comparison),
  })
  .meta({ id: 'Reconciliation' })

export const Reconciliations = z.object({ data_count: z.int().nonnegative(), data: z.array(Reconciliation) })
