import { z } from 'zod'
import { SECRET_NAMES, type SecretName } from '../../../core/index.ts'
import { count, PlanName, timestamp } from '../../kernel/index.ts'
import { IssuedKey } from '../accounts/schemas.ts'

export const PlanGrant = z
  .object({
    email: z.string(),
    account_id: z.string().meta({ description: 'Id of the account of the address. The call creates an account if the address has none.' }),
    plan_id: PlanName.meta({ description: 'Granted plan. A higher paid plan stays in effect.' }),
    expires_at: timestamp('End of the grant.')
      .nullable()
      .meta({ description: 'End of the grant, RFC 3339, offset +08:00. Null if the grant has no end.' }),
    plan_source: z.literal('grant'),
    charged: z.literal(false),
    api_key: IssuedKey,
  })
  .meta({ id: 'PlanGrant' })

export const StateDiagnostics = z
  .object({
    state: z.object({
      schema_version: count('Schema version of the state file.'),
      journal_mode: z.string(),
      size_bytes: count('Size of the state file in bytes.'),
      quick_check: z.string().meta({ description: 'Result of the check of the state file: `ok`, or the first fault.' }),
      accounts: count('Number of accounts, including closed accounts.'),
      active_keys: count('Number of keys that are not revoked.'),
      ledger_rows: count('Number of charged responses on record.'),
      credits_used: count('Credits charged, for all accounts and periods.'),
    }),
    scrub: z
      .object({
        parts: count('Number of Parquet files that reads may open.'),
        size_bytes: count('Total size of the Parquet files that reads may open, in bytes.'),
        parts_to_go: count('Number of files still to verify in the current pass.'),
        laps: count('Completed passes since the service started.'),
        last_lap_ended_at: z.iso.datetime({ offset: true }).nullable(),
        last_lap_seconds: count('Duration of the last completed pass, in seconds. Null if no pass was completed.').nullable(),
      })
      .meta({ description: 'Continuous verification of release files by sha256 while the service runs.' }),
    columns: z
      .object({
        size_bytes: count('Memory that cached rows use, in bytes.'),
        most_bytes: count('Memory limit of the cache in bytes, as set in CACHE_BYTES. 0 disables the cache.'),
        parts: count('Number of Parquet files that can be cached by key. 0 until the first files are verified.'),
        parts_whole: count('Number of files with all rows in memory.'),
        parts_newest: count('Number of files with only the newest rows of each key in memory, because of the memory limit.'),
        parts_on_disk: count('Always 0: rows are cached in memory only. Present for existing clients.'),
      })
      .meta({ description: 'State of the row cache. Reads of cached rows do not use the query engine.' }),
    workers: z
      .array(
        z.object({
          name: z.string().meta({ description: 'Running command, for example `watch`.' }),
          running: z.boolean(),
          started_at: timestamp('Time of the last start.'),
          restarts: count('Number of restarts after the process ended.'),
          last_failed_at: timestamp(
            'Time of the last unexpected end or failure of the process. Null if the process never failed.',
          ).nullable(),
          last_failure: z
            .string()
            .nullable()
            .meta({ description: 'Description of the last unexpected end or failure of the process. Null if the process never failed.' }),
        }),
      )
      .meta({ description: 'Processes that the service supervises, for example the importer of the inbox.' }),
  })
  .meta({ id: 'StateDiagnostics' })

const set = Object.fromEntries(SECRET_NAMES.map(name => [name, z.boolean()])) as Record<SecretName, z.ZodBoolean>

export const ConfigDiagnostics = z
  .object({
    production: z.boolean(),
    port: count('Configured port. 0 if the system chooses the port.'),
    host: z.string(),
    duckdb_memory_limit: z.string(),
    duckdb_threads: count('Number of threads of the query engine.'),
    cache_bytes: count('Size of the row cache in bytes. 0 disables the cache.'),
    query_timeout_ms: count('Maximum duration of a read in milliseconds.'),
    scrub_mb_per_second: count('Maximum speed at which release files are verified, in MB per second.'),
    log_level: z.string(),
    secrets_from_environment: z
      .object(set)
      .meta({ description: 'Secrets by name. True if an environment variable sets the secret. Values of secrets are never shown.' }),
  })
  .meta({ id: 'ConfigDiagnostics' })
