import type { Format, Priced } from '../../../catalog/index.ts'
import { type Grant, Refusal } from '../../core/index.ts'
import type { MeterDeps } from './metering.ts'

/** What an answer would be, as far as that is known without making it. */
export interface Estimate {
  readonly format: Format
  /** The release it would come from; null for none, or for several. */
  readonly release: string | null
  readonly rows: number
  readonly isExact: boolean
  /** The plan's row limit would leave out rows. */
  readonly limited: boolean
  readonly bytes: number
  /** What it would cost where that depends on what it holds. */
  readonly credits?: number
  /** The answer would cost nothing. */
  readonly free?: boolean
}

/** What a call would answer and cost, or why it would be refused. */
export interface DryRun {
  readonly priced: Priced
  /** Null where the call would be refused before it is known. */
  readonly estimate: Estimate | null
  /** Credits of the answer; 0 where it is free or refused, and for visitors. */
  readonly credits: number
  readonly rowLimit: number
  readonly refusal: Refusal | null
}

/**
 * Finds out what a call would come to. It goes through the same gates in the same order: plan, parameters, credits. Nothing is charged, and
 * nothing is counted as an error.
 *
 * @param estimate looks at the parameters, then at what there is @throws what it throws, unless that is a refusal of the caller's request
 */
export async function dryRun({ gate }: MeterDeps, caller: Grant, priced: Priced, estimate: () => Promise<Estimate>): Promise<DryRun> {
  const refusals: Refusal[] = []
  const note = (error: unknown): null => {
    // What fails for now, or on our side, says nothing about the request.
    if (!(error instanceof Refusal) || error.status >= 500) throw error
    refusals.push(error)
    return null
  }
  try {
    gate.checkPlan(caller, priced)
  } catch (error) {
    note(error)
  }
  // How many rows there are, and how large, is told to those who may read them.
  const found = refusals.length > 0 ? null : await estimate().catch(note)
  const price = found?.credits ?? priced.access!.credits
  try {
    if (!found?.free) gate.reserveCredits(caller, { ...priced, access: { ...priced.access!, credits: price } }).release()
  } catch (error) {
    note(error)
  }
  const [refusal = null] = refusals
  const credits = refusal || found?.free || caller.isVisitor ? 0 : price
  return { priced, estimate: found, credits, rowLimit: caller.rowLimit, refusal }
}
