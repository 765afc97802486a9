import type { Dataset } from '../../catalog/dataset.ts'
import { Refusal } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import { newestGood } from './fallback.ts'
import { openMarks } from './marks.ts'
import type { Release } from './release.ts'
import type { Verifier } from './verify.ts'

/** The release served of each dataset. Not for concurrent looks at one dataset: whoever asks for them lets one end before the next. */
export interface Serving {
  /** Undefined where there is none to serve, for whatever reason. */
  of(dataset: Dataset): Release | undefined
  /** Null for a dataset that was never published. @throws Refusal data_unavailable when no release passes its check */
  served(dataset: Dataset): Release | null
  /** True once `current` names another release, or the same one anew, than when it was last looked at. */
  hasNews(dataset: Dataset): boolean
  /** Takes up what `current` names, where that is news. */
  look(dataset: Dataset): Promise<void>
  /** Hashes every served part again, and falls back where one was damaged. */
  recheck(): Promise<void>
}

/** Serves nothing before the first look. Each release is verified whole before it is taken up. */
export function openServing(root: string, verifier: Verifier, log: Log): Serving {
  const serving = new Map<string, Release>()
  const marks = openMarks(root)
  const take = async (dataset: Dataset): Promise<void> => {
    const release = await releaseToServe(root, dataset, serving.get(dataset.slug), verifier, log)
    if (release) serving.set(dataset.slug, release)
    else serving.delete(dataset.slug)
    const { id, manifest, degraded } = release ?? { id: null, manifest: null, degraded: true }
    log('release served', { dataset: dataset.slug, release: id, rows: manifest?.statistics.rows ?? 0, degraded })
  }
  return {
    of: ({ slug }) => serving.get(slug),
    served(dataset) {
      const release = serving.get(dataset.slug)
      if (!release && marks.hasSeen(dataset.slug)) throw new Refusal('data_unavailable', { dataset: dataset.id })
      return release ?? null
    },
    hasNews: ({ slug }) => marks.fresh(slug) !== undefined,
    async look(dataset) {
      const mark = marks.fresh(dataset.slug)
      if (mark === undefined) return
      marks.see(dataset.slug, mark)
      await take(dataset)
    },
    async recheck() {
      for (const release of [...serving.values()]) if (await verifier.recheck(release)) await take(release.dataset)
    },
  }
}

/** The newest release that passes its check; what is served already where none on disk does, as degraded. */
async function releaseToServe(root: string, dataset: Dataset, former: Release | undefined, verifier: Verifier, log: Log) {
  const release = await newestGood(root, dataset, verifier, log)
  if (release || !former) return release
  // Nothing on disk passes any more, but what is being served did: better an older release than none.
  return (await verifier.check(former)) === undefined ? { ...former, degraded: true } : undefined
}
