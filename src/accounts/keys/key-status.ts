/** A key that expires is stored as active: its status follows from the clock. */
export type KeyStatus = 'active' | 'revoked' | 'expired'

/** As the state file holds it. */
export type StoredKeyStatus = Exclude<KeyStatus, 'expired'>

/** @param expiresAt RFC 3339 in Taipei, as is `now`; null for a key that does not expire */
export const statusAt = (status: StoredKeyStatus, expiresAt: string | null, now: string): KeyStatus =>
  status === 'active' && expiresAt !== null && expiresAt <= now ? 'expired' : status
