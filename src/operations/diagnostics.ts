import { type Control, factsOf } from '../accounts/index.ts'
import { type Config, SECRET_NAMES } from '../core/index.ts'

export interface DiagnosticsDeps {
  readonly control: Pick<Control, 'db'>
  readonly config: Config
}

/** Facts for whoever runs the service; none of them is a secret. */
export function createDiagnostics({ control: { db }, config }: DiagnosticsDeps) {
  const pragma = (name: string): unknown => db.pragma(name, { simple: true })
  return {
    /** The state file in numbers, and what a quick check of it finds. */
    state() {
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
      }
    },
    /** The settings in force. Of secrets, only whether the environment sets them. */
    config() {
      const { production, port, host, duckdb, queryTimeoutMs, logLevel, secrets } = config
      return {
        production,
        port,
        host,
        duckdb_memory_limit: duckdb.memoryLimit,
        duckdb_threads: duckdb.threads,
        query_timeout_ms: queryTimeoutMs,
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
