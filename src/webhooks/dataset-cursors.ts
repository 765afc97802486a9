import type { Database } from '../state/index.ts'

export interface DatasetCursor {
  readonly slug: string
  /** Id of the last processed entry. Null before the first entry. */
  readonly entry: string | null
  /** Newest day that was reported as late. Null if no day was late. */
  readonly lateDay: string | null
}

/**
 * Stores positions in the transaction that writes the events, so that no event is lost or repeated.
 */
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
