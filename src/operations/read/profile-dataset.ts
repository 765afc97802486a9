import type { Dataset } from '../../../catalog/index.ts'
import { freshnessState } from '../../calendar/index.ts'
import type { Grant } from '../../core/index.ts'
import { type EmptyReason, emptyReason, etagOf, planProfile, profileRows, type RowsProfile } from '../../read/index.ts'
import type { Release } from '../../releases/index.ts'
import { chooseRelease } from './choose-release.ts'
import { type Call, type Meta, metered, uncharged } from './metering.ts'
import { isFree, limitsOf, mayBeFree, type ReadDeps, type ReadInput } from './read-dataset.ts'
import { type ReleaseFacts, releaseFacts } from './release-facts.ts'
import { retryAfterVerify } from './retry-after-verify.ts'

export interface DatasetProfile extends RowsProfile {
  readonly dataset: Dataset
  /** Null if the dataset has no release. */
  readonly release: Release | null
  /** Parameters in canonical form. Null for parameters that were not sent. */
  readonly sent: Readonly<Record<string, string | null>>
  /** Canonical form. Null if the caller did not send `as_of`. */
  readonly asOf: string | null
  /** Reason for an answer without rows. Null if there are rows. */
  readonly empty: EmptyReason | null
}

export interface ProfileAnswer {
  readonly meta: Meta & ReleaseFacts & { readonly etag: string } & Pick<DatasetProfile, 'asOf'>
  /** Null if the caller already has the body or requested only headers. Such a call is free. */
  readonly body: Buffer | null
}

/**
 * Returns column statistics of the rows of a read. Costs as much as the read.
 * @throws Refusal as for a read; also invalid_parameter if too many rows match
 */
export type ProfileDataset = (caller: Grant, input: Omit<ReadInput, 'accepted' | 'text'>, call: Call) => Promise<ProfileAnswer>

/** For a visitor's limit, this many profiled rows count as one row. */
const ROWS_PER_VISITOR_ROW = 100

/**
 * @param bodyOf makes the body. Equal profiles must give equal bodies, because bodies are cached.
 */
export function createProfileDataset(deps: ReadDeps, bodyOf: (profile: DatasetProfile) => Buffer): ProfileDataset {
  const { gate, releases, pool, answers, calendar, search, clock } = deps
  return (caller, { dataset, params, isKnown }, call) =>
    metered(deps, caller, dataset, call, async meter => {
      const { requestId, time, planOnly } = call
      let release: Release | null = null
      const profile = async (): Promise<ProfileAnswer> => {
        release = await chooseRelease(deps, dataset, params)
        const plan = planProfile(dataset, release, params, limitsOf(caller), search.symbols())
        // The tag must differ from the tag of a read with the same parameters.
        const etag = etagOf(plan, freshnessState({ dataset, release }, clock(), calendar.isClosed), calendar).replace(/"$/, '-profile"')
        time.lap('plan')
        const asOf = plan.asOf?.text ?? null
        const facts = { ...releaseFacts(dataset, release), etag, asOf }
        if (planOnly || isKnown?.(etag))
          return { meta: { ...facts, rows: 0, charge: uncharged(gate, caller), timings: time.laps }, body: null }
        await meter.begin({ mayBeFree: mayBeFree(plan) })
        let counted = 0
        const { body, rows, bytes, empty } = await answers.getOrMake(etag, requestId, async () => {
          const rowsProfile = await profileRows(plan, pool)
          counted = rowsProfile.rows
          const empty = rowsProfile.rows === 0 ? emptyReason(plan, false, calendar.isClosed) : null
          const body = bodyOf({ ...rowsProfile, dataset, release, sent: plan.sent, asOf, empty })
          return { body, bytes: body.length, rows: rowsProfile.columns.length, fromMemory: false, more: false, limited: false, empty }
        })
        time.lap('fetch')
        const visitorRows = rows + Math.ceil(counted / ROWS_PER_VISITOR_ROW)
        const charge = await meter.settle({ rows, bytes, visitorRows, free: isFree(empty), release: release?.id ?? null })
        return { meta: { ...facts, rows, charge, timings: time.laps }, body }
      }
      return retryAfterVerify(profile, async () => {
        meter.release()
        if (release) await releases.reportReadFailure(release)
      })
    })
}
