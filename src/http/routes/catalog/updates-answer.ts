import { z } from 'zod'
import { SERVED_FAMILIES } from '../../../../catalog/index.ts'
import { Changes } from '../../../releases/index.ts'

/** Values of `category`. monthly_revenue has no dataset yet. */
export const CATEGORIES = [...SERVED_FAMILIES, 'monthly_revenue'] as const

const Day = z.iso.date().nullable()

const Reach = (which: string) =>
  z
    .object({ rows: z.int().positive(), data_date_from: Day, data_date_to: Day })
    .nullable()
    .meta({ description: `Rows ${which} and the days they are of; days are null where rows have none, the whole is null without rows.` })

const Update = z
  .object({
    update_id: z.string().meta({ description: 'Dataset and release; never given twice.' }),
    dataset: z.string(),
    category: z.enum(CATEGORIES),
    kind: Changes.shape.kind.meta({
      description:
        'new_rows reaches past what was known, backfill fills in before it, revision changes or removes rows, schema_change has other columns: fetch the dataset anew. new_rows may revise older days as well: changed and removed say which.',
    }),
    data_date_from: Day.meta({ description: 'First day touched in any way; null for a dataset without dates: fetch it whole.' }),
    data_date_to: Day.meta({ description: 'Last day touched in any way.' }),
    rows_added: z.int().nonnegative(),
    rows_changed: z.int().nonnegative(),
    rows_removed: z.int().nonnegative(),
    added: Reach('added'),
    changed: Reach('changed'),
    removed: Reach('removed'),
    data_as_of: z.iso.date().meta({ description: 'Newest day of the dataset as of this publication: what `since` is compared with.' }),
    synthetic: z.boolean().meta({ description: 'The rows are samples.' }),
    release_version: z.string(),
    previous_release_version: z
      .string()
      .nullable()
      .meta({ description: 'Release this one was built on; null for the first. Where it is not the one you have, you missed an update.' }),
    published_at: z.iso.datetime({ offset: true }),
  })
  .meta({ id: 'Update' })

export const Updates = z.object({
  since: Day.meta({
    description: 'The day that was applied; null while nothing is published, and where published_since was sent without it.',
  }),
  published_since: z.iso.datetime({ offset: true }).nullable().meta({ description: 'The time that was applied; null: any.' }),
  category: z.enum(CATEGORIES).nullable(),
  limit: z.int(),
  data_count: z.int().nonnegative(),
  omitted_count: z.int().nonnegative().meta({
    description:
      'Publications of that category and time that since left out, for their data does not reach it. Send published_since to have them.',
  }),
  has_more: z.boolean(),
  next_cursor: z.string().nullable().meta({ description: 'Send it as cursor for the next page; null on the last.' }),
  data: z.array(Update),
})
