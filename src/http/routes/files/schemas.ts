import { z } from 'zod'
import { calendarDay, count, timestamp } from '../../kernel/index.ts'

const Sha256 = z.string().meta({ description: 'sha256 of the file in hex, which is the permanent name of the file.' })

const Synthetic = z.boolean().meta({ description: 'True if the rows are synthetic samples, not market data.' })

const ListedFile = z
  .object({
    release: z.string(),
    url: z.string().meta({ description: 'Download URL of the file, valid without a key until `expires_at`.' }),
    bytes: count('Size of the file in bytes.'),
    rows: count('Number of rows in the file.'),
    sha256: Sha256,
    kind: z.enum(['part', 'month']).meta({
      description:
        'Kind of file. `part`: rows of some keys. `month`: rows of one month. Files by month contain the same rows as the parts.',
    }),
    first_key: z.string().nullable().meta({ description: 'First key in the file, in byte order. Null if rows have no key.' }),
    last_key: z.string().nullable(),
    first_date: calendarDay('First day of the rows in the file. Null if rows have no date.').nullable(),
    last_date: calendarDay('Last day of the rows in the file. Null if rows have no date.').nullable(),
  })
  .meta({ id: 'listed_file' })

export const PartList = z
  .object({
    dataset: z.string(),
    slug: z.string(),
    release: z.string().meta({ description: 'Release that contains all listed files.' }),
    as_of: z.string().optional().meta({ description: 'Value of `as_of` in the request. Absent if not sent.' }),
    data_as_of: calendarDay('Newest day of the release.'),
    synthetic: Synthetic,
    known_gaps: z.array(z.string()).readonly().meta({ description: 'Known gaps of the dataset, as labels.' }),
    warnings: z.array(z.string()).readonly().meta({
      description:
        'Warnings about the data, as labels. The label `synthetic_sample_data` means that the rows are samples. The label `rows_not_filtered_by_as_of` means that the files may contain rows announced after `as_of`.',
    }),
    expires_at: timestamp('Expiry time of the download URLs. Null if no files are listed.').nullable(),
    row_count: count('Number of rows in the listed parts.'),
    bytes: count('Total size of the listed files in bytes.'),
    data_count: count('Number of listed files.'),
    data: z
      .array(ListedFile)
      .meta({ description: 'Listed files: first the parts, ordered by bucket, then the files by month in ascending order.' }),
  })
  .meta({ id: 'part_list', description: 'Files with the rows of one release.' })

const ListedRelease = z
  .object({
    release: z.string(),
    served: z.boolean().meta({ description: 'True if reads use this release.' }),
    parent: z
      .string()
      .nullable()
      .meta({ description: 'Release from which this release was made. Null for the first release. The parent release may be deleted.' }),
    published_at: timestamp('Publication time.'),
    data_as_of: calendarDay('Newest day of the release.'),
    synthetic: Synthetic,
    rows: count('Number of rows in the release.'),
    files: count('Number of data files of the release, including files by month.'),
    bytes: count('Total size of the data files of the release, in bytes.'),
    note: z.string().nullable().meta({ description: 'Note of the operator on the release. Null if there is no note.' }),
  })
  .meta({ id: 'listed_release' })

export const ReleaseList = z
  .object({
    dataset: z.string(),
    slug: z.string(),
    served: z.string().nullable().meta({ description: 'Release that reads use. Null if no release is served.' }),
    table: z
      .object({
        version: count('Newest version of the Delta table.'),
        release: z.string().meta({
          description:
            'Release of the newest version. The table receives a new release some milliseconds after the release is first served.',
        }),
        log_sha256: z.string().meta({
          description:
            'Hash of the checksums of all commits up to the newest version. Two tables with the same hash have the same history.',
        }),
      })
      .nullable()
      .meta({ description: 'Delta table of the dataset. Null if its log is incomplete.' }),
    releases_count: count('Number of retained releases.'),
    data_count: count('Number of listed releases.'),
    data: z.array(ListedRelease).meta({ description: 'Releases, newest first. Releases with a damaged manifest are omitted.' }),
  })
  .meta({ id: 'release_list', description: 'Retained releases of a dataset.' })

const ListedVersion = z
  .object({
    version: count('Number of the table version.'),
    release: z.string(),
    served_at: timestamp('Time at which the version was first served.'),
    commit: z.string().meta({ description: 'Unchanged commit file of the Delta log, with one JSON action per line.' }),
  })
  .meta({ id: 'table_version' })

export const TableVersionList = z
  .object({
    dataset: z.string(),
    slug: z.string(),
    data_count: count('Number of listed versions.'),
    data: z.array(ListedVersion).meta({
      description:
        'Versions, oldest first, without gaps. A page has at most about 16 MiB, and can therefore have fewer versions than `limit`.',
    }),
  })
  .meta({ id: 'table_version_list', description: 'Versions of the Delta table of a dataset.' })
