/** The last time something was made of a release. */
export interface Attempt {
  /** What it was made of. */
  readonly of: string
  /** Milliseconds of the process's own steady clock. */
  readonly at: number
  readonly failed: boolean
}

/** How long what could not be made is left alone while nothing else is published. */
const RETRY_MS = 30_000

/** True where there is nothing to try again: it was made, or failed only a moment ago. */
export const isSettled = (last: Attempt | undefined, of: string, at: number): boolean =>
  last?.of === of && (!last.failed || at - last.at < RETRY_MS)
