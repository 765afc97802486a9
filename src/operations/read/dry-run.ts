import type { Format, Priced } from '../../../catalog/index.ts'
import { type Grant, Refusal } from '../../core/index.ts'
import type { MeterDeps } from './metering.ts'

export interface Estimate {
  readonly format: Format
  /** Release that contains the rows. Null if there is no release, or several. */
  readonly release: string | null
  readonly rows: number
  readonly isExact: boolean
  /** True if rows would be omitted because of the plan's row limit. */
  readonly limited: boolean
  readonly bytes: number
  /** Price in credits. Absent if the price does not depend on the content. */
  readonly credits?: number
  readonly free?: boolean
  /** What an SQL query reads. Absent for other calls. */
  readonly scan?: {
    readonly rows: number
    /** Id of each release, keyed by the slug of its dataset. */
    readonly releases: Readonly<Record<string, string>>
    /** Time limit of the plan, in seconds. */
    readonly seconds: number
  }
}

export interface DryRun {
  readonly priced: Priced
  /** Null if the call is refused before the estimate. */
  readonly estimate: Estimate | null
  /**
   * Price in credits. 0 if the call is free or refused, and for visitors (callers without an
   * account).
   */
  readonly credits: number
  readonly rowLimit: number
  readonly refusal: Refusal | null
}

/**
 * Estimates a call. The checks are the same as those of the call itself, in the same order: plan,
 * parameters, credits. Nothing is charged, and no errors are counted.
 *
 * @param estimate validates the parameters and returns the estimate
 * @throws errors that are not the fault of the request
 */
export async function dryRun({ gate }: MeterDeps, caller: Grant, priced: Priced, estimate: () => Promise<Estimate>): Promise<DryRun> {
  const refusals: Refusal[] = []
  const recordRefusal = (error: unknown): null => {
    // Temporary and internal failures do not depend on the request, so they are not part of an
    // estimate.
    if (!(error instanceof Refusal) || error.status >= 500) throw error
    refusals.push(error)
    return null
  }
  try {
    gate.checkPlan(caller, priced)
  } catch (error) {
    recordRefusal(error)
  }
  // If a caller may not read the rows, the number of rows must not be revealed either.
  const estimated = refusals.length > 0 ? null : await estimate().catch(recordRefusal)
  const price = estimated?.credits ?? priced.access!.credits
  try {
    if (!estimated?.free) gate.reserveCredits(caller, { ...priced, access: { ...priced.access!, credits: price } }).release()
  } catch (error) {
    recordRefusal(error)
  }
  const [refusal = null] = refusals
  const credits = refusal || estimated?.free || caller.isVisitor ? 0 : price
  return { priced, estimate: estimated, credits, rowLimit: caller.limits.rowLimit, refusal }
}
