import type { Database } from '../state/index.ts'

/** Position after which the next run continues. */
export interface DatasetCursor {
  readonly slug: string
  /** Last processed entry of the updates feed. Null before the first. */
  readonly entry: string | null
  /** Newest day that was reported as late. Null if there is none. */
  readonly lateDay: string | null
}

/** Stored in the transaction that writes the events, so a crash loses or repeats none. */
export function createDatasetCursors(db: Database) {
  const all = db.prepare<[], DatasetCursor>('SELECT slug, entry, late_day AS lateDay FROM webhook_followed')
  const upsert = db.prepare(
    `INSERT INTO webhook_followed (slug, entry, late_day) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET entry = excluded.entry, late_day = excluded.late_day`,
  )
  return {
    all: (): ReadonlyMap<string, DatasetCursor> => new Map(all.all().map(cursor => [cursor.slug, cursor])),
    put: ({ slug, entry, lateDay }: DatasetCursor): void => void upsert.run(slug, entry, lateDay),
  }
}
