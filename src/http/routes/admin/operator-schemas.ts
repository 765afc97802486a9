import { z } from 'zod'
import { Changes, SERVING_STATUSES, STANDINGS } from '../../../releases/index.ts'
import { calendarDay, count, DATASET_NAMES, timestamp } from '../../kernel/index.ts'

const text = (description: string) => z.string().meta({ description })
const release = (description: string) => z.string().nullable().meta({ description })
const list = <T extends z.ZodType>(item: T) => ({ data_count: count('Entries in data.'), data: z.array(item) })
const byDataset = z.record(z.string(), z.string()).meta({ description: 'By slug, the release that holds the rows.' })

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
            .meta({ description: 'As in the catalog; internal for a dataset that is not sold.' }),
          served: release('The release reads are answered from; null where there is none.'),
          named: release(
            'The release that the folder names as current; another than served while that one is damaged or not taken up yet.',
          ),
          published_at: timestamp('When the served release was published.').nullable(),
          data_as_of: calendarDay('Newest day of the served release.').nullable(),
          rows: count('Rows of the served release.').nullable(),
          synthetic: z.boolean().nullable().meta({ description: 'True for samples that are made up.' }),
          kept: count('Releases on disk.'),
          pinned: count('Those that are kept for good.'),
          withdrawn: count('Times that an earlier release was served again.'),
          retired: count('Number of retired releases.'),
          damaged: count('Files that keep newer releases from being served; /v2/admin/damage names them.'),
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
            description: 'ancestor: it led to the served one. unused: withdrawn, never served, or samples that real rows replaced.',
          }),
          damaged: z.boolean().meta({ description: 'Its manifest does not pass its check; its other facts are null.' }),
          rows: count('Rows in it.').nullable(),
          data_as_of: calendarDay('Its newest day.').nullable(),
          synthetic: z.boolean().nullable(),
          changes: Changes.nullable().meta({ description: 'What its publication changed.' }),
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
          fallback: release('The older release that is served instead; null where reads are refused.'),
          findings: z.array(z.object({ file: text('From the folder of releases.'), reason: z.string() })),
        })
        .meta({ id: 'DamagedDataset' }),
    ),
    scrub: z
      .object({
        parts: count('Parquet files that reads may open.'),
        size_bytes: count('Their size in all.'),
        parts_to_go: count('Those the lap in progress has still to verify.'),
        laps: count('Complete laps since the start.'),
        last_lap_ended_at: timestamp('When the last lap ended.').nullable(),
      })
      .meta({ id: 'ScrubState', description: 'Progress of the repeated verification of served files.' }),
  })
  .meta({ id: 'DamageReport' })

const Fault = z
  .object({
    rule: z.string(),
    column: z.string().nullable(),
    count: count('Rows at fault.').nullable(),
    message: text('What was wrong, and what to do.'),
    message_zh: text('The same in Chinese; null in the report of a file that an earlier version refused.').nullable(),
    samples: z.array(z.unknown()).meta({ description: 'Some of the values at fault, as the check wrote them down.' }),
    accept: z
      .string()
      .nullable()
      .meta({ description: 'The rule to name in accept so that it no longer refuses; null where nothing lets it pass.' }),
  })
  .meta({ id: 'RefusedRule' })

const Refused = z
  .object({
    id: text('Names the file as long as it is kept, and what became of it.'),
    for: text('Dataset or feed it was meant for.'),
    file: text('Its name.'),
    size_bytes: count('Of the copy that is kept.'),
    refused_at: timestamp('When it was refused.').nullable(),
    has_copy: z.boolean().meta({ description: 'False where the file was larger than the quarantine may be and stayed where it was.' }),
    rules: z.array(z.string()).meta({ description: 'Rules it broke.' }),
  })
  .meta({ id: 'RefusedFile' })

const Settled = z
  .object({
    id: z.string(),
    at: timestamp('When.'),
    action: z.enum(['accept', 'discard']),
    for: z.string(),
    file: z.string(),
    rules: z.array(z.string()).meta({ description: 'Rules that were let pass.' }),
    outcome: z.enum(['published', 'unchanged', 'empty', 'discarded']).meta({ description: 'unchanged: every row was served already.' }),
    releases: byDataset,
  })
  .meta({ id: 'SettledFile' })

/** What a try to publish came to, or that it still runs. */
export const Attempt = z
  .object({
    id: z.string(),
    outcome: z.enum(['published', 'unchanged', 'empty', 'refused', 'failed', 'running']).meta({
      description:
        'refused: it broke rules that were not let pass, and stays. failed: it was not looked at, for the reason in said. running: ask again by the same call.',
    }),
    releases: byDataset,
    faults: z.array(Fault),
    said: z.string().nullable(),
    settled: Settled.nullable().meta({ description: 'What is on record; null where the file stays.' }),
  })
  .meta({ id: 'AcceptedFile' })

export const QuarantineList = z
  .object({
    kept: count('Files that are kept, listed or not.'),
    ...list(Refused),
    settled: z.array(Settled).meta({ description: 'What was accepted or discarded lately, newest first.' }),
  })
  .meta({ id: 'QuarantineList' })

export const QuarantineReport = z
  .object({
    id: z.string(),
    file: Refused.nullable().meta({ description: 'Null once it is settled.' }),
    faults: z.array(Fault),
    acceptable: z.array(z.string()).meta({ description: 'Rules that may be let pass for it.' }),
    settled: Settled.nullable(),
    attempt: Attempt.nullable().meta({ description: 'The last try of this service to publish it, since its start.' }),
  })
  .meta({ id: 'QuarantineReport' })

export const Discarded = Settled

const Waiting = z
  .object({
    inbox: text('Folder of the inbox it lies in.'),
    file: z.string(),
    modified_at: timestamp('When it was last written to.'),
  })
  .meta({ id: 'InboxFile' })

export const Inbox = z
  .object({
    waiting: z.array(Waiting).meta({ description: 'Files that are taken once they are whole, oldest first; at most a thousand.' }),
    waiting_count: count('How many wait, listed or not.'),
    left: z
      .array(Waiting.extend({ reason: z.string(), reason_zh: text('The same in Chinese.') }).meta({ id: 'LeftFile' }))
      .meta({ description: 'What is not taken, and why.' }),
    taken: z
      .array(
        z
          .object({
            at: timestamp('When.'),
            inbox: z.string(),
            file: z.string(),
            outcome: z.enum(['published', 'unchanged', 'empty']),
            releases: byDataset,
          })
          .meta({ id: 'TakenFile' }),
      )
      .meta({ description: 'What was taken lately, newest first.' }),
    watching: z.boolean().meta({ description: 'A process of this service takes files from the inbox.' }),
  })
  .meta({ id: 'InboxState' })

export const Feeds = z
  .object(
    list(
      z
        .object({
          feed: z.string(),
          datasets: z.array(z.string()),
          due: text('When its data is due, in words, in Taipei.'),
          due_zh: text('The same in Chinese.'),
          next_at: timestamp('When it runs next.').nullable().meta({ description: 'Null where it never ran, or cannot run by itself.' }),
          last_run: z
            .object({
              at: timestamp('When.'),
              outcome: z.enum(['came', 'late', 'unreachable', 'refused']),
              said: z.string(),
              said_zh: text('The same in Chinese; absent where it is in English alone.').optional(),
            })
            .nullable(),
          covers: calendarDay('Newest day whose data came.').nullable(),
          tries: count('Runs without success since the last that came.'),
          needs_consent: z.array(z.string()).meta({ description: 'Hosts whose consent is missing, so that it is not fetched.' }),
        })
        .meta({ id: 'FeedRun' }),
    ),
  )
  .meta({ id: 'FeedRuns' })

const Queue = {
  waiting: count('How many wait.'),
  attempts: count('Most attempts that any of them has behind it.'),
  oldest_at: timestamp('When the oldest came.').nullable(),
  next_at: timestamp('When the next is tried.').nullable(),
  last_error: z
    .string()
    .nullable()
    .meta({ description: 'In the words of the other side, without addresses, ids of customers and secrets.' }),
}

export const Queues = z
  .object({
    ledger: z.object({ owed: count('Uses that were answered and are not committed yet, because the disk takes no more.') }),
    mail: z.object({
      ...Queue,
      codes: count('Sign-in codes among those that wait.'),
      notices: count('Notices among them.'),
      sent: count('Sent within the day that rows are kept.'),
      given_up: count('Given up within it.'),
    }),
    payment_events: z.object(Queue),
    webhooks: z.object({
      waiting: Queue.waiting,
      attempts: Queue.attempts,
      oldest_at: Queue.oldest_at,
      next_at: Queue.next_at,
      endpoints: count('Endpoints there are.'),
      failing: count('Enabled ones that did not take their last message.'),
      disabled: count('Disabled ones.'),
    }),
  })
  .meta({ id: 'Queues' })

export const SlowReads = z
  .object(
    list(
      z
        .object({
          at: timestamp('When.'),
          request_id: text('As in the log and the ledger, where its parameters can be looked up.'),
          product: text('What was read, as usage names it: the slug of a dataset, or for example `query`.'),
          release: release('The release it read; null where it read several.'),
          account: z.string().nullable().meta({ description: 'Id of the account; null for a visitor.' }),
          key: z.string().nullable().meta({ description: 'Id of the key; null for a visitor.' }),
          rows: count('Rows in the answer.'),
          ms: z.number().meta({ description: 'Milliseconds in all.' }),
          stages: z.record(z.string(), z.number()).meta({ description: 'Milliseconds by stage, in order.' }),
        })
        .meta({ id: 'SlowRead' }),
    ),
  )
  .meta({ id: 'SlowReads' })
