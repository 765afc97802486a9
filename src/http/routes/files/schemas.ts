import { z } from 'zod'
import { calendarDay, count, timestamp } from '../../kernel/index.ts'

const Sha256 = z.string().meta({ description: 'sha256 of its bytes as hex, which names the file for good.' })

const Synthetic = z.boolean().meta({ description: 'The rows are samples, made up for trying the service, not market data.' })

const ListedFile = z
  .object({
    release: z.string(),
    url: z.string().meta({ description: 'Reads the file, without a key, until expires_at.' }),
    bytes: count('Of the file.'),
    rows: count('In the file.'),
    sha256: Sha256,
    kind: z.enum(['part', 'month']).meta({ description: 'part: rows of some keys. month: rows of a month, which the parts hold as well.' }),
    first_key: z
      .string()
      .nullable()
      .meta({ description: 'Its keys are from this one, by their bytes, to last_key; null where rows have no key.' }),
    last_key: z.string().nullable(),
    first_date: calendarDay('First day of its rows; null where they have no date.').nullable(),
    last_date: calendarDay('Last day of its rows.').nullable(),
  })
  .meta({ id: 'listed_file' })

export const PartList = z
  .object({
    dataset: z.string(),
    slug: z.string(),
    release: z.string().meta({ description: 'The one release that all files are of.' }),
    data_as_of: calendarDay('Newest day the release holds.'),
    synthetic: Synthetic,
    known_gaps: z.array(z.string()).readonly().meta({ description: 'What the dataset is known to lack, as labels.' }),
    warnings: z
      .array(z.string())
      .readonly()
      .meta({ description: 'What a reader must not overlook, as labels; synthetic_sample_data where the rows are samples.' }),
    expires_at: timestamp('When the URLs end; null where none is listed.').nullable(),
    row_count: count('Rows of the parts listed, each once.'),
    bytes: count('Of all files listed.'),
    data_count: count('Files listed.'),
    data: z.array(ListedFile).meta({ description: 'Parts in the order of their buckets, then months in theirs.' }),
  })
  .meta({ id: 'part_list', description: 'Files that hold rows of one release.' })

const ListedRelease = z
  .object({
    release: z.string(),
    served: z.boolean().meta({ description: 'Reads are answered from it now.' }),
    parent: z.string().nullable().meta({ description: 'The release it was made from; null for the first. It need not be kept.' }),
    published_at: timestamp('When it was published.'),
    data_as_of: calendarDay('Newest day it holds.'),
    synthetic: Synthetic,
    rows: count('In the release.'),
    files: count('Files of rows, by key and by month.'),
    bytes: count('Of these files.'),
    note: z.string().nullable().meta({ description: 'What the operator says of the release; null for nothing.' }),
  })
  .meta({ id: 'listed_release' })

export const ReleaseList = z
  .object({
    dataset: z.string(),
    slug: z.string(),
    served: z.string().nullable().meta({ description: 'The release that reads are answered from; null where none is.' }),
    releases_count: count('Releases that are kept.'),
    data_count: count('Releases listed.'),
    data: z.array(ListedRelease).meta({ description: 'Newest first. A release whose manifest is damaged is left out.' }),
  })
  .meta({ id: 'release_list', description: 'Releases of a dataset that are kept.' })
