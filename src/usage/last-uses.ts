import type { Database } from '../state/index.ts'

/** A key and the time of its last use (RFC 3339 in the Taipei time zone). */
export interface KeyUse {
  readonly keyId: string
  readonly at: string
}

interface LastUse {
  readonly latest: string
  /** Time of the last use, as stored in the state file. */
  readonly written: string
}

const minuteOf = (at: string): string => at.slice(0, 16)

/**
 * Tracks when each key was last used. The times in memory are exact. They are written to the file
 * by commits of the ledger, once a minute per key. A killed process loses up to a minute.
 */
export function createLastUses(db: Database) {
  const touch = db.prepare<[string, string, string]>(
    'UPDATE api_key SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?)',
  )
  const lastUses = new Map<string, LastUse>()
  const isDue = ({ keyId, at }: KeyUse): boolean => {
    const written = lastUses.get(keyId)?.written
    return written === undefined || minuteOf(written) < minuteOf(at)
  }
  const writeAll = db.transaction((): void => {
    for (const [keyId, { latest, written }] of lastUses) if (latest > written) touch.run(latest, keyId, latest)
  })
  return {
    /**
     * Writes the times of keys whose stored time is from an earlier minute. Must be called in a
     * transaction.
     */
    write(uses: readonly KeyUse[]): void {
      for (const use of uses) if (isDue(use)) touch.run(use.at, use.keyId, use.at)
    },
    /** Records uses in memory. Must be called after the transaction was committed. */
    recordCommitted(uses: readonly KeyUse[]): void {
      for (const use of uses) {
        const previous = lastUses.get(use.keyId)
        const latest = previous && previous.latest > use.at ? previous.latest : use.at
        lastUses.set(use.keyId, { latest, written: isDue(use) ? use.at : previous!.written })
      }
    },
    /** Returns the last use of a key since the process started. Undefined if there is none. */
    get: (keyId: string): string | undefined => lastUses.get(keyId)?.latest,
    /** Writes all times that are newer than the times in the file. @throws database errors */
    writeAll: (): void => writeAll.immediate(),
  }
}

export type LastUses = ReturnType<typeof createLastUses>
