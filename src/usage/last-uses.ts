import type { Database } from '../state/index.ts'

/** Last use of a key, RFC 3339 in Taipei. */
export interface KeyUse {
  readonly keyId: string
  readonly at: string
}

interface LastUse {
  readonly latest: string
  readonly written: string
}

const minuteOf = (at: string): string => at.slice(0, 16)

/** Tracks the last use of each key. Times in the file can be a minute old. */
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
    /** Writes times that are older than a minute. Call in a transaction. */
    write(uses: readonly KeyUse[]): void {
      for (const use of uses) if (isDue(use)) touch.run(use.at, use.keyId, use.at)
    },
    /** Call after the transaction is committed. */
    recordCommitted(uses: readonly KeyUse[]): void {
      for (const use of uses) {
        const previous = lastUses.get(use.keyId)
        const latest = previous && previous.latest > use.at ? previous.latest : use.at
        lastUses.set(use.keyId, { latest, written: isDue(use) ? use.at : previous!.written })
      }
    },
    /** Undefined if the key was not used since the process started. */
    get: (keyId: string): string | undefined => lastUses.get(keyId)?.latest,
    /** @throws errors of the database */
    writeAll: (): void => writeAll.immediate(),
  }
}

export type LastUses = ReturnType<typeof createLastUses>
