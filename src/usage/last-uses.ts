import type { Database } from '../state/index.ts'

/** A key and when it was used, RFC 3339 in Taipei. */
export interface KeyUse {
  readonly keyId: string
  readonly at: string
}

interface Known {
  readonly latest: string
  /** What the state file has. */
  readonly written: string
}

const minuteOf = (at: string): string => at.slice(0, 16)

/**
 * When keys were last used. Exact in memory and written once a minute for each key, with a commit that the ledger makes anyway; a killed
 * process forgets the last minute.
 */
export function createLastUses(db: Database) {
  const touch = db.prepare<[string, string, string]>(
    'UPDATE api_key SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?)',
  )
  const known = new Map<string, Known>()
  const isDue = ({ keyId, at }: KeyUse): boolean => {
    const written = known.get(keyId)?.written
    return written === undefined || minuteOf(written) < minuteOf(at)
  }
  const writeAll = db.transaction((): void => {
    for (const [keyId, { latest, written }] of known) if (latest > written) touch.run(latest, keyId, latest)
  })
  return {
    /** Writes the uses that are due, in the caller's transaction. */
    write(uses: readonly KeyUse[]): void {
      for (const use of uses) if (isDue(use)) touch.run(use.at, use.keyId, use.at)
    },
    /** Notes uses whose transaction was committed. */
    committed(uses: readonly KeyUse[]): void {
      for (const use of uses) {
        const before = known.get(use.keyId)
        const latest = before && before.latest > use.at ? before.latest : use.at
        known.set(use.keyId, { latest, written: isDue(use) ? use.at : before!.written })
      }
    },
    /** The last use of a key since the start; undefined for one that was not used. */
    of: (keyId: string): string | undefined => known.get(keyId)?.latest,
    /** Writes what the file does not have yet. @throws what the database throws */
    writeAll: (): void => writeAll.immediate(),
  }
}

export type LastUses = ReturnType<typeof createLastUses>
