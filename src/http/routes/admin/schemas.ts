import { z } from 'zod'
import { SECRET_NAMES, type SecretName } from '../../../core/index.ts'
import { count, PlanName, timestamp } from '../../kernel/index.ts'
import { IssuedKey } from '../accounts/schemas.ts'

export const PlanGrant = z
  .object({
    email: z.string(),
    account_id: z.string().meta({ description: 'The account of that address, made where there was none.' }),
    plan_id: PlanName.meta({ description: 'The plan that was granted. A higher one that is paid for stays in force.' }),
    expires_at: timestamp('When the grant ends.')
      .nullable()
      .meta({ description: 'When the grant ends, RFC 3339, offset +08:00; null where it does not.' }),
    plan_source: z.literal('grant'),
    charged: z.literal(false),
    api_key: IssuedKey,
  })
  .meta({ id: 'PlanGrant' })

export const StateDiagnostics = z
  .object({
    state: z.object({
      schema_version: count('Version of the state file’s schema.'),
      journal_mode: z.string(),
      size_bytes: count('Size of the state file.'),
      quick_check: z.string().meta({ description: '`ok`, or the first fault found in the file.' }),
      accounts: count('Accounts, closed ones included.'),
      active_keys: count('Keys that are not revoked.'),
      ledger_rows: count('Charged answers on record.'),
      credits_used: count('Credits charged, of all accounts and periods.'),
    }),
    scrub: z
      .object({
        parts: count('Parquet files that reads may open.'),
        size_bytes: count('Their size in all.'),
        parts_to_go: count('Those that the lap in progress has still to verify.'),
        laps: count('Complete laps since the start.'),
        last_lap_ended_at: z.iso.datetime({ offset: true }).nullable(),
        last_lap_seconds: count('How long the last complete lap took.').nullable(),
      })
      .meta({ description: 'How the files of releases are verified again and again, by their sha256, while the service runs.' }),
    columns: z
      .object({
        size_bytes: count('What the rows in memory take.'),
        most_bytes: count('What they may take: CACHE_BYTES; 0 where nothing is kept.'),
        parts: count('Parquet files of served datasets that have a key; 0 until the first are looked at.'),
        parts_whole: count('Those of which every row is in memory.'),
        parts_newest: count('Those of which the newest rows of every key are, where there is no room for all.'),
        parts_on_disk: count('Always 0: rows are cached in memory only. Kept for clients that read it.'),
      })
      .meta({ description: 'Rows of keys that are kept in memory and beside it: reads of them do not ask the query engine.' }),
    workers: z
      .array(
        z.object({
          name: z.string().meta({ description: 'The command that runs, for example `watch`.' }),
          running: z.boolean(),
          started_at: timestamp('When it was started last.'),
          restarts: count('How often it was started again because it had ended.'),
          last_failed_at: timestamp('When it last ended by itself or told of a failure.').nullable(),
          last_failure: z.string().nullable().meta({ description: 'What was said of that.' }),
        }),
      )
      .meta({ description: 'Processes that the service runs beside itself, such as the one that takes files from the inbox.' }),
  })
  .meta({ id: 'StateDiagnostics' })

const set = Object.fromEntries(SECRET_NAMES.map(name => [name, z.boolean()])) as Record<SecretName, z.ZodBoolean>

export const ConfigDiagnostics = z
  .object({
    production: z.boolean(),
    port: count('Port that is configured; 0 for any.'),
    host: z.string(),
    duckdb_memory_limit: z.string(),
    duckdb_threads: count('Threads of the query engine.'),
    cache_bytes: count('Memory for rows of keys; 0 keeps none.'),
    query_timeout_ms: count('Milliseconds one read may take.'),
    scrub_mb_per_second: count('How fast files of releases are verified again, at most.'),
    log_level: z.string(),
    secrets_from_environment: z.object(set).meta({ description: 'True where the environment sets the secret; never its value.' }),
  })
  .meta({ id: 'ConfigDiagnostics' })
