import type { Control } from '../../control/index.ts'
import { type Config, SECRET_NAMES, taipei, type WorkerState } from '../../core/index.ts'
import type { Releases } from '../../releases/index.ts'
import type { Columns } from '../../row-cache/index.ts'
import { factsOf } from '../../state/index.ts'

export interface DiagnosticsDeps {
  readonly control: Pick<Control, 'db'>
  readonly config: Config
  readonly releases: Pick<Releases, 'scrub'>
  readonly columns: Pick<Columns, 'state'>
  readonly workers: () => readonly WorkerState[]
}

/** Contains no secrets. */
export function createDiagnostics({ control: { db }, config, releases, columns, workers }: DiagnosticsDeps) {
  const pragma = (name: string): unknown => db.pragma(name, { simple: true })
  return {
    state() {
      const { parts, bytes, toGo, laps, lapEndedAt, lapSeconds } = releases.scrub.progress()
      const inMemory = columns.state()
      const { schemaVersion, accounts, activeKeys, ledgerRows, creditsUsed } = factsOf(db)
      return {
        state: {
          schema_version: schemaVersion,
          journal_mode: String(pragma('journal_mode')),
          size_bytes: Number(pragma('page_count')) * Number(pragma('page_size')),
          quick_check: String(pragma('quick_check')),
          accounts,
          active_keys: activeKeys,
          ledger_rows: ledgerRows,
          credits_used: creditsUsed,
        },
        scrub: {
          parts,
          size_bytes: bytes,
          parts_to_go: toGo,
          laps,
          last_lap_ended_at: lapEndedAt && taipei(lapEndedAt),
          last_lap_seconds: lapSeconds && Math.round(lapSeconds),
        },
        columns: {
          size_bytes: Math.round(inMemory.bytes),
          most_bytes: inMemory.mostBytes,
          parts: inMemory.parts,
          parts_whole: inMemory.whole,
          parts_newest: inMemory.newest,
          parts_on_disk: 0,
        },
        workers: workers().map(({ name, running, startedAt, restarts, lastFailure }) => ({
          name,
          running,
          started_at: taipei(startedAt),
          restarts,
          last_failed_at: lastFailure && taipei(lastFailure.at),
          last_failure: lastFailure?.message ?? null,
        })),
      }
    },
    /** Returns the settings without secrets. Lists which secrets are set. */
    config() {
      const { production, port, host, duckdb, cacheBytes, queryTimeoutMs, scrubMbPerSecond, logLevel, secrets } = config
      return {
        production,
        port,
        host,
        duckdb_memory_limit: duckdb.memoryLimit,
        duckdb_threads: duckdb.threads,
        cache_bytes: cacheBytes,
        query_timeout_ms: queryTimeoutMs,
        scrub_mb_per_second: scrubMbPerSecond,
        log_level: logLevel,
        secrets_from_environment: Object.fromEntries(SECRET_NAMES.map(name => [name, secrets[name] !== undefined])) as Record<
          (typeof SECRET_NAMES)[number],
          boolean
        >,
      }
    },
  }
}

export type Diagnostics = ReturnType<typeof createDiagnostics>
