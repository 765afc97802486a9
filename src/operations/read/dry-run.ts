import type { Format, Priced } from '../../../catalog/index.ts'
import { type Grant, Refusal } from '../../core/index.ts'
import type { MeterDeps } from './metering.ts'

export interface Estimate {
  readonly format: Format
  /** Null if there are no releases, or several. */
  readonly release: string | null
  readonly rows: number
  readonly isExact: boolean
  /** True if the plan's row limit would omit rows. */
  readonly limited: boolean
  readonly bytes: number
  /** Price in credits. Absent for a fixed price. */
  readonly credits?: number
  readonly free?: boolean
  readonly scan?: {
    readonly rows: number
    /** Release ids by slug. */
    readonly releases: Readonly<Record<string, string>>
    /** Time limit of the plan, in seconds. */
    readonly seconds: number
  }
}

export interface DryRun {
  readonly priced: Priced
  /** Null if the call is refused before the estimate. */
  readonly estimate: Estimate | null
  /** Price in credits. 0 for free calls, refused calls and visitors. */
  readonly credits: number
  readonly rowLimit: number
  readonly refusal: Refusal | null
}

/**
 * Estimates a call. Charges nothing and counts no errors. Makes the same checks as the call, in the
 * same order: plan, parameters, credits.
 *
 * @param estimate function that validates the parameters and returns the estimate
 * @throws errors that the request did not cause
 */
export async function dryRun({ gate }: MeterDeps, caller: Grant, priced: Priced, estimate: () => Promise<Estimate>): Promise<DryRun> {
  const refusals: Refusal[] = []
  const recordRefusal = (error: unknown): null => {
    // Throws temporary failures, which do not depend on the request.
    if (!(error instanceof Refusal) || error.status >= 500) throw error
    refusals.push(error)
    return null
  }
  try {
    gate.checkPlan(caller, priced)
  } catch (error) {
    recordRefusal(error)
  }
  // A caller who may not read the rows must not learn the number of rows.
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
