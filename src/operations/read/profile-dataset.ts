import type { Dataset } from '../../../catalog/index.ts'
import { freshnessState } from '../../calendar/index.ts'
import type { Grant } from '../../core/index.ts'
import { type EmptyReason, emptyReason, etagOf, planProfile, profileRows, type RowsProfile } from '../../read/index.ts'
import type { Release } from '../../releases/index.ts'
import { type Call, type Meta, metered, uncharged } from './metering.ts'
import { chooseRelease, isFree, limitsOf, mayBeUnbuilt, type ReadDeps, type ReadInput } from './read-dataset.ts'
import { type ReleaseFacts, releaseFacts } from './release-facts.ts'
import { retryAfterVerify } from './retry-after-verify.ts'

/** What the rows of a read hold, and what they were chosen by. */
export interface DatasetProfile extends RowsProfile {
  readonly dataset: Dataset
  /** Null for a planned dataset without one. */
  readonly release: Release | null
  /** The parameters in canonical form, null where not sent. */
  readonly sent: Readonly<Record<string, string | null>>
  /** Why there are no rows; null where there are. */
  readonly empty: EmptyReason | null
}

export interface ProfileAnswer {
  readonly meta: Meta & ReleaseFacts & { readonly etag: string }
  /** The body; null when the caller has it already or wants headers only, which costs nothing. */
  readonly body: Buffer | null
}

/**
 * Counts what the rows of a dataset hold, column by column: plan → release and parameters → credits → rows → body. It costs as much as a read,
 * since the profile of one row is that row. A body that was made is kept, for whoever asks the same.
 *
 * @throws Refusal what a read throws, and invalid_parameter where too many rows match
 */
export type ProfileDataset = (caller: Grant, input: Omit<ReadInput, 'accepted' | 'text'>, call: Call) => Promise<ProfileAnswer>

/** Rows that are counted in the time it takes to answer one: what a visitor's hour has of them bounds the engine's time as well. */
const COUNTED_AS_ONE = 100

/** @param bodyOf makes the body: equal profiles, equal bytes */
export function createProfileDataset(deps: ReadDeps, bodyOf: (profile: DatasetProfile) => Buffer): ProfileDataset {
  const { gate, releases, pool, answers, calendar, clock } = deps
  return (caller, { dataset, params, isKnown }, call) =>
    metered(deps, caller, dataset, call, async meter => {
      const { requestId, time, planOnly } = call
      let release: Release | null = null
      const profile = async (): Promise<ProfileAnswer> => {
        release = await chooseRelease(dataset, releases, params['release'])
        const plan = planProfile(dataset, release, params, limitsOf(caller))
        // A read of the same parameters has a tag of its own.
        const etag = etagOf(plan, freshnessState({ dataset, release }, clock(), calendar.isClosed), calendar).replace(/"$/, '-profile"')
        time.lap('plan')
        const facts = { ...releaseFacts(dataset, release), etag }
        if (planOnly || isKnown?.(etag))
          return { meta: { ...facts, rows: 0, charge: uncharged(gate, caller), timings: time.laps }, body: null }
        await meter.begin({ mayBeFree: mayBeUnbuilt(plan) })
        let counted = 0
        const { body, rows, bytes, empty } = await answers.getOrMake(etag, requestId, async () => {
          const found = await profileRows(plan, pool)
          counted = found.rows
          const empty = found.rows === 0 ? emptyReason(plan, false, calendar.isClosed) : null
          const body = bodyOf({ ...found, dataset, release, sent: plan.sent, empty })
          return { body, bytes: body.length, rows: found.columns.length, more: false, limited: false, empty }
        })
        time.lap('fetch')
        const visitorRows = rows + Math.ceil(counted / COUNTED_AS_ONE)
        const charge = await meter.settle({ rows, bytes, visitorRows, free: isFree(empty), release: release?.id ?? null })
        return { meta: { ...facts, rows, charge, timings: time.laps }, body }
      }
      return retryAfterVerify(profile, async () => {
        meter.release()
        if (release) await releases.reportReadFailure(release)
      })
    })
}
