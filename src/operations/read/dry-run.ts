import type { Format, Priced } from '../../../catalog/index.ts'
import { type Grant, Refusal } from '../../core/index.ts'
import type { MeterDeps } from './metering.ts'

/** Estimate of an answer. */
export interface Estimate {
  readonly format: Format
  /** Release of the rows. Null if there is none or several. */
  readonly release: string | null
  readonly rows: number
  readonly isExact: boolean
  /** True if rows would be left out because of the row limit of the subscription plan. */
  readonly limited: boolean
  readonly bytes: number
  /** Price, if it depends on the content. */
  readonly credits?: number
  readonly free?: boolean
  /** SQL queries only: what the query reads. */
  readonly scan?: {
    readonly rows: number
    /** Releases by slug. */
    readonly releases: Readonly<Record<string, string>>
    /** Time limit of the plan. */
    readonly seconds: number
  }
}

/** Estimate and price of a call, or its refusal. */
export interface DryRun {
  readonly priced: Priced
  /** Null if the call is refused before it can be estimated. */
  readonly estimate: Estimate | null
  /** Price in credits. 0 for free or refused calls, and for visitors. */
  readonly credits: number
  readonly rowLimit: number
  readonly refusal: Refusal | null
}

/**
 * Estimates a call. Runs the same checks as the call, in the same order: plan, parameters, credits.
 * Charges nothing and counts no errors.
 *
 * @param estimate validates the parameters, then estimates
 * @throws errors other than refusals of the request
 */
export async function dryRun({ gate }: MeterDeps, caller: Grant, priced: Priced, estimate: () => Promise<Estimate>): Promise<DryRun> {
  const refusals: Refusal[] = []
  const recordRefusal = (error: unknown): null => {
    // Temporary and internal failures do not depend on the request, so an estimate does not report
    // them.
    if (!(error instanceof Refusal) || error.status >= 500) throw error
    refusals.push(error)
    return null
  }
  try {
    gate.checkPlan(caller, priced)
  } catch (error) {
    recordRefusal(error)
  }
  // Callers who may not read the rows must not learn their sizes.
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
