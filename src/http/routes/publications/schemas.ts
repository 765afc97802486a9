import { z } from 'zod'
import { BADGE_REASONS, BADGES, NO_UPDATES, UPDATE_CATEGORIES } from '../../../coverage/index.ts'
import { Changes, SERVING_STATUSES } from '../../../releases/index.ts'
import { DATASET_NAMES } from '../../kernel/index.ts'

const Day = z.iso.date().nullable()

const Reach = (which: string) =>
  z
    .object({ rows: z.int().positive(), data_date_from: Day, data_date_to: Day })
    .nullable()
    .meta({ description: `Rows ${which} and the days they are of; days are null where rows have none, the whole is null without rows.` })

const Update = z
  .object({
    update_id: z.string().meta({ description: 'Dataset and release; never given twice.' }),
    ...DATASET_NAMES,
    category: z.enum(UPDATE_CATEGORIES),
    kind: z.enum([...Changes.shape.kind.options, 'withdrawal']).meta({
      description:
        'new_rows reaches past what was known, backfill fills in before it, revision changes or removes rows, schema_change has other columns: fetch the dataset anew. new_rows may revise older days as well: changed and removed say which. withdrawal is no publication: a former release is served again, to undo one; fetch the days named as after any other entry.',
    }),
    data_date_from: Day.meta({ description: 'First day touched in any way; null for a dataset without dates: fetch it whole.' }),
    data_date_to: Day.meta({ description: 'Last day touched in any way.' }),
    rows_added: z
      .int()
      .nonnegative()
      .meta({ description: 'Of a withdrawal, rows are counted by the publications undone, and may repeat.' }),
    rows_changed: z.int().nonnegative(),
    rows_removed: z.int().nonnegative(),
    added: Reach('added'),
    changed: Reach('changed'),
    removed: Reach('removed'),
    data_as_of: z.iso.date().meta({ description: 'Newest day of the dataset as of this publication: what `since` is compared with.' }),
    synthetic: z.boolean().meta({ description: 'The rows are samples.' }),
    release_version: z.string().meta({ description: 'Release served from then on.' }),
    previous_release_version: z.string().nullable().meta({
      description:
        'Release this one was built on, or whose place it took by a withdrawal; null for the first. Where it is not the one you have, you missed an update.',
    }),
    withdrawn_release_versions: z.array(z.string()).meta({
      description:
        'Releases that a withdrawal took away, oldest first: whoever has one of them needs this entry and those after it. Empty for a publication.',
    }),
    published_at: z.iso.datetime({ offset: true }).meta({ description: 'Time of the publication or withdrawal.' }),
  })
  .meta({ id: 'Update' })

export const Updates = z
  .object({
    since: Day.meta({
      description:
        'The day that was applied; where since was not sent, the newest in since_by_category. Null while nothing is published, and where published_since or dataset was sent without it.',
    }),
    since_by_category: z.partialRecord(z.enum(UPDATE_CATEGORIES), z.iso.date()).meta({
      description:
        'The day that publications of each category were held to: since where it was sent, else the newest day of data of that category. One without a day is not held to any.',
    }),
    published_since: z.iso.datetime({ offset: true }).nullable().meta({ description: 'The time that was applied; null: any.' }),
    category: z.enum(UPDATE_CATEGORIES).nullable(),
    dataset: z.string().nullable().meta({ description: 'Id of the one dataset that was asked for; null: every one.' }),
    slug: z.string().nullable().meta({ description: 'Its slug; null: every one.' }),
    limit: z.int(),
    data_count: z.int().nonnegative(),
    omitted_count: z.int().nonnegative().meta({
      description:
        'Publications of that category, dataset and time that since left out, for their data does not reach it. Send published_since to have them.',
    }),
    empty_reason: z
      .enum(Object.keys(NO_UPDATES) as [keyof typeof NO_UPDATES, ...(keyof typeof NO_UPDATES)[]])
      .nullable()
      .meta({
        description: `Why the page is empty; null where it is not. ${Object.entries(NO_UPDATES)
          .map(each => each.join(': '))
          .join('. ')}.`,
      }),
    has_more: z.boolean(),
    next_cursor: z.string().nullable().meta({ description: 'Send it as cursor for the next page; null on the last.' }),
    data: z.array(Update),
  })
  .meta({ id: 'Updates' })

const Badge = z.enum(BADGES).meta({
  description:
    'verified: every row was compared and agrees; partial: all that could be compared agree; mismatch: some do not; not_checked: nothing was compared, or the rows are samples.',
})

const reasons = Object.entries(BADGE_REASONS).map(each => each.join(': '))
const BadgeReason = z
  .enum(Object.keys(BADGE_REASONS) as [keyof typeof BADGE_REASONS, ...(keyof typeof BADGE_REASONS)[]])
  .nullable()
  .meta({ description: `Why the badge is not verified; null where it is. ${reasons.join('. ')}.` })

const Counts = {
  rows: z.int().nonnegative().meta({ description: 'Rows there are to compare.' }),
  rows_compared: z.int().nonnegative(),
  matched: z.int().nonnegative(),
  mismatched: z.int().nonnegative(),
  match_ratio: z.number().min(0).max(1).nullable().meta({ description: 'matched over rows_compared; null with the badge not_checked.' }),
}
const At = z.iso.datetime({ offset: true })

const Comparison = z
  .object({
    method: z.string(),
    dataset: z.string().meta({ description: 'Whose rows were compared: the dataset itself, or one whose columns it takes over.' }),
    slug: DATASET_NAMES.slug,
    source: z.string().meta({ description: 'What they were compared with.' }),
    description: z.string().nullable(),
    description_zh: z.string().nullable().meta({ description: 'The same in Chinese.' }),
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
    ...DATASET_NAMES,
    badge: Badge,
    badge_reason: BadgeReason,
    status: z.enum(SERVING_STATUSES).meta({
      description:
        'Serving status, as in the catalog: what the dataset is made for. The badge says what of it was measured, and badge_reason why it may say less.',
    }),
    method: z
      .string()
      .nullable()
      .meta({ description: 'The comparison that decides the badge, the worst of `methods`; null before the first release.' }),
    source: z.string().nullable(),
    compared_at: At.nullable(),
    ...Counts,
    release_version: z.string().nullable(),
    synthetic: z.boolean().meta({ description: 'The rows are samples; whatever their counts, they prove nothing.' }),
    unchecked: z.array(z.string()).meta({
      description:
        'Comparisons that could not be made, those of another dataset behind its id, as in daily_prices.source_rows; with any of them the badge is partial at best.',
    }),
    methods: z.array(Comparison).meta({
      description:
        'Comparisons of the dataset’s own rows, then those of each dataset whose columns it takes over: a method stands there once for each.',
    }),
  })
  .meta({ id: 'Reconciliation' })

export const Reconciliations = z
  .object({ data_count: z.int().nonnegative(), data: z.array(Reconciliation) })
  .meta({ id: 'Reconciliations' })
