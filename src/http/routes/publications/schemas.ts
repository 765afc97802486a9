import { z } from 'zod'
import { BADGE_REASONS, BADGES, NO_UPDATES, UPDATE_CATEGORIES } from '../../../coverage/index.ts'
import { Changes, SERVING_STATUSES } from '../../../releases/index.ts'
import { DATASET_NAMES } from '../../kernel/index.ts'

const Day = z.iso.date().nullable()

const Reach = (which: string) =>
  z
    .object({ rows: z.int().positive(), data_date_from: Day, data_date_to: Day })
    .nullable()
    .meta({
      description: `Number and days of the rows ${which}. Null if there are no such rows. Days are null for a dataset without dates.`,
    })

const Update = z
  .object({
    update_id: z.string().meta({ description: 'Unique id of the entry: dataset and release.' }),
    ...DATASET_NAMES,
    category: z.enum(UPDATE_CATEGORIES),
    kind: z.enum([...Changes.shape.kind.options, 'withdrawal']).meta({
      description:
        'Kind of publication. `new_rows`: adds newer days, and may also revise older days (see `changed` and `removed`). `backfill`: adds older days. `revision`: changes or removes rows. `schema_change`: the columns changed, so fetch the whole dataset again. `withdrawal`: an earlier release is served again, so fetch the listed days again.',
    }),
    data_date_from: Day.meta({ description: 'First affected day. Null for a dataset without dates. Fetch such a dataset in full.' }),
    data_date_to: Day.meta({ description: 'Last affected day. Null for a dataset without dates.' }),
    rows_added: z.int().nonnegative().meta({
      description:
        'Number of rows added. For a withdrawal, this is the sum over the withdrawn publications, which may count a row more than once.',
    }),
    rows_changed: z.int().nonnegative(),
    rows_removed: z.int().nonnegative(),
    added: Reach('added'),
    changed: Reach('changed'),
    removed: Reach('removed'),
    data_as_of: z.iso.date().meta({
      description:
        'Newest day of the dataset at this publication. For the trading calendar, the day is not later than the publication. `since` is compared with the later of `data_as_of` and `data_date_to`.',
    }),
    synthetic: z.boolean().meta({ description: 'True if the rows are samples.' }),
    release_version: z.string().meta({ description: 'Release that was served after this publication or withdrawal.' }),
    previous_release_version: z.string().nullable().meta({
      description:
        'Release that was served before this publication or withdrawal. Null for the first release. If your copy has another release, you missed an update.',
    }),
    withdrawn_release_versions: z.array(z.string()).meta({
      description:
        'Withdrawn releases, oldest first. If your copy has one of these releases, apply this entry and all later entries. Empty for a publication.',
    }),
    published_at: z.iso.datetime({ offset: true }).meta({ description: 'Time of the publication or withdrawal.' }),
  })
  .meta({ id: 'Update' })

export const Updates = z
  .object({
    since: Day.meta({
      description:
        'Value of `since` in effect. If `since` was not sent, this is the newest day in `since_by_category`. Null if nothing is published yet, or if `published_since` or `dataset` was sent without `since`.',
    }),
    since_by_category: z.partialRecord(z.enum(UPDATE_CATEGORIES), z.iso.date()).meta({
      description:
        'First data day to return for each category: `since` if sent, otherwise the newest data day of the category. Categories that are not listed have no first day.',
    }),
    published_since: z.iso
      .datetime({ offset: true })
      .nullable()
      .meta({ description: 'Value of `published_since` in effect. Null if it was not sent.' }),
    category: z.enum(UPDATE_CATEGORIES).nullable(),
    dataset: z.string().nullable().meta({ description: 'Id of the requested dataset. Null for all datasets.' }),
    slug: z.string().nullable().meta({ description: 'Slug of the requested dataset. Null for all datasets.' }),
    limit: z.int(),
    data_count: z.int().nonnegative(),
    omitted_count: z.int().nonnegative().meta({
      description:
        'Number of matching publications that `since` excludes because their data is older. Send `published_since` to include them.',
    }),
    empty_reason: z
      .enum(Object.keys(NO_UPDATES) as [keyof typeof NO_UPDATES, ...(keyof typeof NO_UPDATES)[]])
      .nullable()
      .meta({
        description: `Reason why the page is empty. Null if the page has entries. ${Object.entries(NO_UPDATES)
          .map(each => each.join(': '))
          .join('. ')}.`,
      }),
    has_more: z.boolean(),
    next_cursor: z.string().nullable().meta({ description: 'Value of `cursor` for the next page. Null on the last page.' }),
    data: z.array(Update),
  })
  .meta({ id: 'Updates' })

const Badge = z.enum(BADGES).meta({
  description:
    'Result of the comparisons. `verified`: all rows were compared and agree. `partial`: all compared rows agree, but some rows could not be compared. `mismatch`: some rows disagree. `not_checked`: no rows were compared, or the rows are samples.',
})

const reasons = Object.entries(BADGE_REASONS).map(each => each.join(': '))
const BadgeReason = z
  .enum(Object.keys(BADGE_REASONS) as [keyof typeof BADGE_REASONS, ...(keyof typeof BADGE_REASONS)[]])
  .nullable()
  .meta({ description: `Reason why the badge is not \`verified\`. Null for the badge \`verified\`. ${reasons.join('. ')}.` })

const Counts = {
  rows: z.int().nonnegative().meta({ description: 'Number of rows that should be compared.' }),
  rows_compared: z.int().nonnegative(),
  matched: z.int().nonnegative(),
  mismatched: z.int().nonnegative(),
  match_ratio: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .meta({ description: '`matched` divided by `rows_compared`. Null for the badge `not_checked`.' }),
}
const At = z.iso.datetime({ offset: true })

const Comparison = z
  .object({
    method: z.string(),
    dataset: z
      .string()
      .meta({ description: 'Id of the dataset whose rows were compared: this dataset, or a dataset whose columns this dataset uses.' }),
    slug: DATASET_NAMES.slug,
    source: z.string().meta({ description: 'Data with which the rows were compared.' }),
    description: z.string().nullable(),
    description_zh: z.string().nullable().meta({ description: '`description` in Chinese.' }),
    badge: Badge,
    compared_at: At,
    ...Counts,
    release_version: z.string().meta({ description: 'Release whose rows were compared.' }),
    against_release: z.string().nullable().meta({
      description:
        'Release of the dataset with which the rows were compared. Null if the rows were not compared with a dataset of this service.',
    }),
  })
  .meta({ id: 'Comparison' })

export const Reconciliation = z
  .object({
    ...DATASET_NAMES,
    badge: Badge,
    badge_reason: BadgeReason,
    status: z.enum(SERVING_STATUSES).meta({
      description: 'Serving status, as in the catalog.',
    }),
    method: z
      .string()
      .nullable()
      .meta({ description: 'Name of the worst comparison in `methods`, which determines the badge. Null before the first release.' }),
    source: z.string().nullable(),
    compared_at: At.nullable(),
    ...Counts,
    release_version: z.string().nullable(),
    synthetic: z.boolean().meta({ description: 'True if the rows are samples. Counts of samples do not describe real data.' }),
    unchecked: z.array(z.string()).meta({
      description:
        'Names of the comparisons that were not possible. If a comparison belongs to another dataset, the name starts with the id of the other dataset, for example `daily_prices.source_rows`. With such comparisons, the badge is at most `partial`.',
    }),
    methods: z.array(Comparison).meta({
      description:
        'Comparisons of the rows of this dataset, followed by comparisons of datasets whose columns this dataset uses. A method can occur once per dataset.',
    }),
  })
  .meta({ id: 'Reconciliation' })

export const Reconciliations = z
  .object({ data_count: z.int().nonnegative(), data: z.array(Reconciliation) })
  .meta({ id: 'Reconciliations' })
