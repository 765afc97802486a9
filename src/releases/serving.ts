import type { Dataset } from '../../catalog/index.ts'
import { type Log, Refusal } from '../core/index.ts'
import { openDamages } from './damage.ts'
import { type Found, newestValidRelease } from './fallback.ts'
import { openMarks } from './marks.ts'
import type { Release } from './release.ts'
import type { Check, Verifier } from './verify.ts'

/** The release served of each dataset. Not for concurrent looks at one dataset: whoever asks for them lets one end before the next. */
export interface Serving {
  /** Undefined where there is none to serve, for whatever reason. */
  of(dataset: Dataset): Release | undefined
  all(): readonly Release[]
  /** Null for a dataset that was never published. @throws Refusal data_unavailable when no release passes its check */
  served(dataset: Dataset): Release | null
  /** True once `current` names another release, or the same one anew, than when it was last looked at. */
  hasNews(dataset: Dataset): boolean
  /** True once a file that was found damaged is another than it was then. */
  isMended(dataset: Dataset): boolean
  /** Takes up what `current` names, where that is news, or may be whole again. */
  look(dataset: Dataset): Promise<void>
  /** Hashes every part of a served release again, and falls back where one was damaged. */
  recheck(release: Release): Promise<void>
  /** The same for a release, served or not, of which a read failed. */
  suspect(release: Release): Promise<void>
}

/** Seconds after which a refused read may as well be tried again: what is damaged is looked at every second. */
const RETRY_AFTER = 30

/** Serves nothing before the first look. Each release is verified whole before it is taken up. */
export function openServing(root: string, verifier: Verifier, log: Log): Serving {
  const serving = new Map<string, Release>()
  const marks = openMarks(root)
  const damages = openDamages()
  const take = async (dataset: Dataset, check: Check): Promise<void> => {
    const found = await releaseToServe(root, dataset, serving.get(dataset.slug), check, log)
    const release = found.release && verifier.located(found.release)
    damages.note(dataset.slug, found.damages)
    if (release) serving.set(dataset.slug, release)
    else serving.delete(dataset.slug)
    const { id, manifest, degraded } = release ?? { id: null, manifest: null, degraded: true }
    log('release served', { dataset: dataset.slug, release: id, rows: manifest?.statistics.rows ?? 0, degraded })
  }
  return {
    of: ({ slug }) => serving.get(slug),
    all: () => [...serving.values()],
    served(dataset) {
      const release = serving.get(dataset.slug)
      if (!release && marks.hasSeen(dataset.slug)) throw new Refusal('data_unavailable', { dataset: dataset.id, retry_after: RETRY_AFTER })
      return release ?? null
    },
    hasNews: ({ slug }) => marks.fresh(slug) !== undefined,
    isMended: ({ slug }) => damages.isMended(slug),
    async look(dataset) {
      const mark = marks.fresh(dataset.slug)
      if (mark === undefined && !damages.isMended(dataset.slug)) return
      if (mark !== undefined) marks.see(dataset.slug, mark)
      await take(dataset, verifier.check)
    },
    async recheck(release) {
      const check = verifier.anew()
      if (serving.get(release.dataset.slug) === release && (await check(release))) await take(release.dataset, check)
    },
    suspect: release => suspect(release, serving.get(release.dataset.slug), verifier, take),
  }
}

/** The newest release that passes its check; what is served already where none on disk does, as degraded. */
async function releaseToServe(root: string, dataset: Dataset, former: Release | undefined, check: Check, log: Log): Promise<Found> {
  const found = await newestValidRelease(root, dataset, check, log)
  if (found.release || !former) return found
  // Nothing on disk passes any more, but what is being served did: better an older release than none.
  return (await check(former)) === undefined ? { ...found, release: { ...former, degraded: true } } : found
}

type Take = (dataset: Dataset, check: Check) => Promise<void>

async function suspect(release: Release, served: Release | undefined, verifier: Verifier, take: Take): Promise<void> {
  const failed = async (one: Release, check: Check): Promise<boolean> => (await check(one)) !== undefined || verifier.located(one) !== one
  // Whoever met the damage before had it looked at.
  if (served !== release && (await failed(release, verifier.check))) return
  verifier.doubt(release)
  const check = verifier.anew()
  if (!(await failed(release, check))) return
  if (served && (served === release || (await failed(served, check)))) await take(release.dataset, check)
}
