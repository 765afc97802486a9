import Sqlite from 'better-sqlite3'

/** Opens a state file without migrating it. */
export function plain<T>(file: string, work: (db: Sqlite.Database) => T): T {
  const db = new Sqlite(file)
  try {
    return work(db)
  } finally {
    db.close()
  }
}

/**
 * Names with which a migration may conflict. Triggers are left out, because they have a separate
 * namespace.
 */
export const MADE = "SELECT name FROM sqlite_master WHERE type IN ('table', 'index') AND name NOT LIKE 'sqlite_%'"

/** Schema version, tables, indexes and triggers. */
export const schemaOf = (file: string) =>
  plain(file, db => ({
    version: db.pragma('user_version', { simple: true }),
    tables: db
      .prepare("SELECT name FROM sqlite_master WHERE type IN ('table', 'index', 'trigger') AND name NOT LIKE 'sqlite_%'")
      .pluck()
      .all(),
  }))
