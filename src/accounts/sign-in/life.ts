import { taipei } from '../../core/index.ts'

/** How long a code works, and a flow that asks for one. */
export const LIFE_MS = 10 * 60_000
/** An address that began and never signed in is forgotten after this long. */
export const KEPT_MS = 24 * 3_600_000

/** The moment so long ago, RFC 3339 in Taipei. */
export const before = (now: Date, ms: number): string => taipei(new Date(now.getTime() - ms))

/** Whole seconds to tell a caller, never fewer than are left. */
export const seconds = (ms: number): number => Math.max(0, Math.ceil(ms / 1_000))
