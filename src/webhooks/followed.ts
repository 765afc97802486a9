import type { Database } from '../state/index.ts'

/** How far a dataset has been told of. */
export interface Followed {
  readonly slug: string
  /** Sorts by age; null before the first. */
  readonly entry: string | null
  /** The newest day that was told to be late; null for none. */
  readonly lateDay: string | null
}

/** How far datasets have been told of: written in the transaction that writes the events, so that a crash neither loses one nor writes it twice. */
export function createFollowed(db: Database) {
  const all = db.prepare<[], Followed>('SELECT slug, entry, late_day AS lateDay FROM webhook_followed')
  const put = db.prepare(
    `INSERT INTO webhook_followed (slug, entry, late_day) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET entry = excluded.entry, late_day = excluded.late_day`,
  )
  return {
    /** By slug. Nothing at all in a state file that has followed no dataset yet. */
    all: (): ReadonlyMap<string, Followed> => new Map(all.all().map(one => [one.slug, one])),
    put: ({ slug, entry, lateDay }: Followed): void => void put.run(slug, entry, lateDay),
  }
}
