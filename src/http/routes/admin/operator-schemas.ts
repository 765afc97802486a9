import { z } from 'zod'
import { Changes, SERVING_STATUSES, STANDINGS } from '../../../releases/index.ts'
import { calendarDay, count, DATASET_NAMES, timestamp } from '../../kernel/index.ts'

const text = (description: string) => z.string().meta({ description })
const release = (description: string) => z.string().nullable().meta({ description })
const list = <T extends z.ZodType>(item: T) => ({ data_count: count('Number of entries in `data`.'), data: z.array(item) })
const byDataset = z.record(z.string(), z.string()).meta({ description: 'Releases that contain the rows, by slug of the dataset.' })

export const ReleaseOverview = z
  .object(
    list(
      z
        .object({
          ...DATASET_NAMES,
          title: z.string(),
          title_zh: z.string(),
          status: z
            .enum([...SERVING_STATUSES, 'internal'])
            .meta({ description: 'Serving status, as in the catalog. The value is `internal` for a dataset that is not in the catalog.' }),
          served: release('Release that reads use. Null if no release is served.'),
          named: release(
            'Release that the data folder names as current. Differs from the served release if the current release is damaged or not loaded yet. Null if no release is current.',
          ),
          published_at: timestamp('Publication time of the served release. Null if no release is served.').nullable(),
          data_as_of: calendarDay('Newest day of the served release. Null if no release is served.').nullable(),
          rows: count('Number of rows of the served release. Null if no release is served.').nullable(),
          synthetic: z.boolean().nullable().meta({ description: 'True if the rows are synthetic samples. Null if no release is served.' }),
          kept: count('Number of releases on disk.'),
          pinned: count('Number of pinned releases, which are never deleted.'),
          withdrawn: count('Number of times an earlier release was served again.'),
          retired: count('Number of retired releases, which are no longer available.'),
          damaged: count('Number of damaged files because of which newer releases are not served. /v2/admin/damage lists these files.'),
        })
        .meta({ id: 'DatasetReleases' }),
    ),
  )
  .meta({ id: 'ReleaseOverview' })

export const ReleaseHistory = z
  .object({
    ...DATASET_NAMES,
    ...list(
      z
        .object({
          release: z.string(),
          served: z.boolean(),
          standing: z.enum(STANDINGS).meta({
            description:
              'Relation to the served release. `ancestor`: a predecessor of the served release. `unused`: withdrawn, never served, or samples that real rows replaced.',
          }),
          damaged: z
            .boolean()
            .meta({ description: 'True if the manifest of the release is damaged. In that case, the other fields are null.' }),
          rows: count('Number of rows of the release. Null if the manifest is damaged.').nullable(),
          data_as_of: calendarDay('Newest day of the release. Null if the manifest is damaged.').nullable(),
          synthetic: z.boolean().nullable(),
          changes: Changes.nullable().meta({
            description: 'Rows that the publication of the release changed. Null if the manifest is damaged.',
          }),
          pinned: z.boolean(),
          pinned_at: z.string().nullable(),
          pin_note: z.string().nullable(),
          note: z.string().nullable(),
        })
        .meta({ id: 'KeptRelease' }),
    ),
  })
  .meta({ id: 'ReleaseHistory' })

export const Damage = z
  .object({
    ...list(
      z
        .object({
          ...DATASET_NAMES,
          fallback: release('Older release that is served instead of the damaged release. Null if reads are refused.'),
          findings: z.array(z.object({ file: text('Path relative to the folder of releases.'), reason: z.string() })),
        })
        .meta({ id: 'DamagedDataset' }),
    ),
    scrub: z
      .object({
        parts: count('Number of Parquet files that reads may open.'),
        size_bytes: count('Total size of the Parquet files that reads may open, in bytes.'),
        parts_to_go: count('Number of files still to verify in the current pass.'),
        laps: count('Completed passes since the service started.'),
        last_lap_ended_at: timestamp('End time of the last completed pass. Null if no pass was completed.').nullable(),
      })
      .meta({ id: 'ScrubState', description: 'Progress of the continuous verification of served files.' }),
  })
  .meta({ id: 'DamageReport' })

const Fault = z
  .object({
    rule: z.string(),
    column: z.string().nullable(),
    count: count('Number of invalid rows. Null if the fault does not concern rows.').nullable(),
    message: text('Description of the fault and of the next step.'),
    message_zh: text('`message` in Chinese. Null in reports of an earlier version.').nullable(),
    samples: z.array(z.unknown()).meta({ description: 'Examples of invalid values.' }),
    accept: z.string().nullable().meta({
      description: 'Name to send in `accept` to publish the file although it breaks this rule. Null if the rule cannot be accepted.',
    }),
  })
  .meta({ id: 'RefusedRule' })

const Refused = z
  .object({
    id: text('Id of the refused file. The outcome for the file has the same id.'),
    for: text('Dataset or feed to which the file belongs.'),
    file: text('File name.'),
    size_bytes: count('Size of the stored copy of the file, in bytes.'),
    refused_at: timestamp('Time of the refusal. Null if unknown.').nullable(),
    has_copy: z.boolean().meta({
      description:
        'True if the quarantine has a copy of the file. False if the file is too large for the quarantine and stays in its folder.',
    }),
    rules: z.array(z.string()).meta({ description: 'Rules that the file broke.' }),
  })
  .meta({ id: 'RefusedFile' })

const Settled = z
  .object({
    id: z.string(),
    at: timestamp('Time of the decision.'),
    action: z.enum(['accept', 'discard']),
    for: z.string(),
    file: z.string(),
    rules: z.array(z.string()).meta({ description: 'Names of the rules that were accepted.' }),
    outcome: z
      .enum(['published', 'unchanged', 'empty', 'discarded'])
      .meta({ description: 'Outcome for the file. `unchanged`: all rows of the file were already served.' }),
    releases: byDataset,
  })
  .meta({ id: 'SettledFile' })

export const Attempt = z
  .object({
    id: z.string(),
    outcome: z.enum(['published', 'unchanged', 'empty', 'refused', 'failed', 'running']).meta({
      description:
        'Outcome of the call. `refused`: the file broke rules that were not accepted, and stays in quarantine. `failed`: the file was not checked, and `said` has the reason. `running`: publication is in progress, so repeat the call for the result.',
    }),
    releases: byDataset,
    faults: z.array(Fault),
    said: z.string().nullable(),
    settled: Settled.nullable().meta({ description: 'Recorded outcome for the file. Null while the file is in quarantine.' }),
  })
  .meta({ id: 'AcceptedFile' })

export const QuarantineList = z
  .object({
    kept: count('Number of files in quarantine.'),
    ...list(Refused),
    settled: z.array(Settled).meta({ description: 'Recently accepted or discarded files, newest first.' }),
  })
  .meta({ id: 'QuarantineList' })

export const QuarantineReport = z
  .object({
    id: z.string(),
    file: Refused.nullable().meta({ description: 'Refused file. Null after the file was accepted or discarded.' }),
    faults: z.array(Fault),
    acceptable: z
      .array(z.string())
      .meta({ description: 'Rules that the operator can accept, so that the file is published although it breaks them.' }),
    settled: Settled.nullable(),
    attempt: Attempt.nullable().meta({
      description: 'Last attempt to publish the file since the service started. Null if there was no attempt.',
    }),
  })
  .meta({ id: 'QuarantineReport' })

export const Discarded = Settled

const Waiting = z
  .object({
    inbox: text('Inbox folder that contains the file.'),
    file: z.string(),
    modified_at: timestamp('Time of the last write to the file.'),
  })
  .meta({ id: 'InboxFile' })

export const Inbox = z
  .object({
    waiting: z
      .array(Waiting)
      .meta({ description: 'Files that the service will import when they are complete, oldest first, at most 1,000.' }),
    waiting_count: count('Total number of waiting files.'),
    left: z
      .array(Waiting.extend({ reason: z.string(), reason_zh: text('`reason` in Chinese.') }).meta({ id: 'LeftFile' }))
      .meta({ description: 'Files that the service does not import, each with the reason.' }),
    taken: z
      .array(
        z
          .object({
            at: timestamp('Time of the import.'),
            inbox: z.string(),
            file: z.string(),
            outcome: z.enum(['published', 'unchanged', 'empty']),
            releases: byDataset,
          })
          .meta({ id: 'TakenFile' }),
      )
      .meta({ description: 'Recently imported files, newest first.' }),
    watching: z.boolean().meta({ description: 'True if a process of this service imports files of the inbox.' }),
  })
  .meta({ id: 'InboxState' })

export const Feeds = z
  .object(
    list(
      z
        .object({
          feed: z.string(),
          datasets: z.array(z.string()),
          due: text('Due time of the data of the feed, in words, in Taipei time.'),
          due_zh: text('`due` in Chinese.'),
          next_at: timestamp('Time of the next run.')
            .nullable()
            .meta({ description: 'Time of the next run. Null if the feed never ran or does not run automatically.' }),
          last_run: z
            .object({
              at: timestamp('Time of the run.'),
              outcome: z.enum(['came', 'late', 'unreachable', 'refused']),
              said: z.string(),
              said_zh: text('`said` in Chinese. Absent if only English is available.').optional(),
            })
            .nullable(),
          covers: calendarDay('Newest day with data from the feed. Null if there is no data.').nullable(),
          tries: count('Number of failed runs since the last success.'),
          history: z.enum(['all', 'days', 'newest']).meta({
            description:
              'Time for which the source offers a publication: `all` (without limit), `days` (for `history_days` days) or `newest` (until the next publication).',
          }),
          history_days: z.int().positive().nullable().meta({
            description: 'Number of days for which a publication stays available at the source. Null unless `history` is `days`.',
          }),
          at_risk: z
            .object({
              day: calendarDay('Oldest missing day that the source will soon stop offering.'),
              days: count('Number of missing days that the source will soon stop offering, see `at_risk`.'),
              lost_at: timestamp('Time from which the source no longer offers the oldest missing day.'),
            })
            .meta({ id: 'DaysAtRisk' })
            .nullable()
            .meta({
              description:
                'Days that are missing in the served release and that the source will soon stop offering. A day counts in the second half of the time for which the source offers it, at most 30 days before the end of this time. Null if there are no such days, or if the dataset has only samples.',
            }),
          needs_consent: z
            .array(z.string())
            .meta({ description: 'Hosts from which the service fetches nothing, because FETCH_CONSENT does not list these hosts.' }),
        })
        .meta({ id: 'FeedRun' }),
    ),
  )
  .meta({ id: 'FeedRuns' })

const Queue = {
  waiting: count('Number of queued entries.'),
  attempts: count('Highest number of attempts of a queued entry.'),
  oldest_at: timestamp('Arrival time of the oldest queued entry. Null if the queue is empty.').nullable(),
  next_at: timestamp('Time of the next attempt. Null if no attempt is scheduled.').nullable(),
  last_error: z.string().nullable().meta({
    description: 'Last error that the other server reported, without addresses, customer ids and secrets. Null if there was no error.',
  }),
}

export const Queues = z
  .object({
    ledger: z.object({ owed: count('Number of charged responses that could not be written to disk yet.') }),
    mail: z.object({
      ...Queue,
      codes: count('Number of queued mails with a sign-in code.'),
      notices: count('Number of queued mails with a notice.'),
      sent: count('Number of mails sent within the last day.'),
      given_up: count('Number of mails whose delivery was given up within the last day.'),
    }),
    payment_events: z.object(Queue),
    webhooks: z.object({
      waiting: Queue.waiting,
      attempts: Queue.attempts,
      oldest_at: Queue.oldest_at,
      next_at: Queue.next_at,
      endpoints: count('Number of webhook endpoints.'),
      failing: count('Number of enabled webhook endpoints that did not accept their last message.'),
      disabled: count('Number of disabled webhook endpoints.'),
    }),
  })
  .meta({ id: 'Queues' })

export const SlowReads = z
  .object(
    list(
      z
        .object({
          at: timestamp('Time of the read.'),
          request_id: text('Request id, as in the log and in the ledger.'),
          product: text('Product that was read: slug of a dataset, or another product, for example `query`.'),
          release: release('Release that was read. Null if the read used several releases.'),
          account: z.string().nullable().meta({ description: 'Id of the account. Null for a visitor.' }),
          key: z.string().nullable().meta({ description: 'Id of the key. Null for a visitor.' }),
          rows: count('Rows in the response.'),
          ms: z.number().meta({ description: 'Total duration of the read in milliseconds.' }),
          stages: z
            .record(z.string(), z.number())
            .meta({ description: 'Duration of each stage of the read in milliseconds, in the order of the stages.' }),
        })
        .meta({ id: 'SlowRead' }),
    ),
  )
  .meta({ id: 'SlowReads' })
