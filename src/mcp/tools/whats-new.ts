import { z } from 'zod'
import type { Catalog } from '../../../catalog/index.ts'
import { type Fault, inputRefusal, momentOf, taipei } from '../../core/index.ts'
import { type Publications, UPDATE_CATEGORIES, updatesPage } from '../../coverage/index.ts'
import { requireDataset } from '../../operations/index.ts'
import { takeFitting } from '../tokens.ts'
import { type Tool, tool } from '../tool.ts'

export interface NewsDeps {
  readonly catalog: Catalog
  readonly publications: Publications
}

const ChangedRows = z.object({ rows: z.int(), data_date_from: z.string().nullable(), data_date_to: z.string().nullable() }).nullable()

const Update = z.object({
  dataset: z.string().meta({ description: 'Slug of the dataset.' }),
  kind: z.string().meta({ description: 'Type of publication: new_rows, revision, withdrawal and others.' }),
  published_at: z.string(),
  data_as_of: z.string(),
  added: ChangedRows,
  changed: ChangedRows.meta({ description: 'Published rows that were changed, with the days of the rows. Null if none.' }),
  removed: ChangedRows,
  synthetic: z.boolean(),
  release: z.string(),
  previous_release: z.string().nullable(),
})

const Output = z.object({
  since: z.string().nullable(),
  published_since: z.string().nullable(),
  total: z.int().meta({ description: 'Total number of publications on all pages.' }),
  returned: z.int(),
  next_cursor: z.string().nullable(),
  omitted: z.int().meta({ description: 'Number of publications that `since` excluded, because their data is older.' }),
  empty_reason: z.string().nullable(),
  updates: z.array(Update).meta({ description: 'Publications, newest first.' }),
})

export function whatsNewTool({ catalog, publications }: NewsDeps): Tool {
  return tool(
    {
      name: 'whats_new',
      title: 'List new and revised data',
      description:
        'Lists publications, newest first: new rows, and published rows that were changed or removed, with the affected days. Price: none; no key required.',
      input: z.strictObject({
        published_since: z
          .string()
          .max(40)
          .optional()
          .meta({ description: 'Returns publications since this day or time (RFC 3339; Taipei time without an offset).' }),
        since: z.iso.date().optional().meta({
          description:
            'Returns publications with data on this day or later. Default without `published_since` and `dataset`: the newest data day of each category.',
        }),
        dataset: z.string().min(1).max(100).optional().meta({ description: 'Slug of the dataset whose publications to return.' }),
        category: z.enum(UPDATE_CATEGORIES).optional(),
        limit: z.int().min(1).max(200).default(20),
        cursor: z
          .string()
          .max(8_192)
          .optional()
          .meta({ description: 'Cursor: next_cursor of the previous page. Send the same arguments.' }),
      }),
      output: Output,
    },
    async ({ published_since, since = null, dataset: name, category = null, limit, cursor = null }) => {
      const dataset = name === undefined ? null : requireDataset(catalog, name).slug
      const from = published_since === undefined ? null : normalizedTime(published_since)
      const query = { since, published_since: from, category, dataset, cursor }
      const pageOf = (most: number) => updatesPage(publications.all(), catalog, { ...query, limit: most })
      const page = pageOf(limit)
      const fittingUpdates = takeFitting(page.view.data, { ...query, since_by_category: page.view.since_by_category })
      const { view, total } = fittingUpdates.length === page.view.data.length ? page : pageOf(fittingUpdates.length)
      return {
        since: view.since,
        published_since: view.published_since,
        total,
        returned: view.data_count,
        next_cursor: view.next_cursor,
        omitted: view.omitted_count,
        empty_reason: view.empty_reason,
        updates: view.data.map(updateOf),
      }
    },
  )
}

const updateOf = (update: ReturnType<typeof updatesPage>['view']['data'][number]): z.input<typeof Update> => ({
  dataset: update.slug,
  kind: update.kind,
  published_at: update.published_at,
  data_as_of: update.data_as_of,
  added: update.added,
  changed: update.changed,
  removed: update.removed,
  synthetic: update.synthetic,
  release: update.release_version,
  previous_release: update.previous_release_version,
})

/** @throws Refusal invalid_parameter */
function normalizedTime(text: string): string {
  const moment = momentOf(text)
  if (moment) return taipei(moment)
  throw inputRefusal([INVALID_TIME])
}

const INVALID_TIME: Fault = {
  loc: ['arguments', 'published_since'],
  words: {
    en: 'published_since must be a day or an RFC 3339 timestamp, for example 2026-06-30T18:00:00+08:00',
    zh: 'published_since 必須是日期或 RFC 3339 時間，例如 2026-06-30T18:00:00+08:00',
  },
  type: 'timestamp',
}
