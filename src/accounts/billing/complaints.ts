import type { BillingWorkerDeps } from './worker.ts'

/** Says that something could not be done, and why. */
export type Complain = (during: string) => (error: unknown) => void

/** The kind of an error: the provider's own words may hold a part of our key. */
export const kindOf = (error: unknown): string => (error instanceof Error ? error.constructor.name : 'unknown')

/** Logs what fails while billing runs; what is broken off by its end is no failure. */
export const complaints =
  ({ provider, log }: BillingWorkerDeps, stopping: AbortSignal): Complain =>
  during =>
  error => {
    if (!stopping.aborted) log('failed', { during, error: provider.isFault(error) ? kindOf(error) : String(error) })
  }
