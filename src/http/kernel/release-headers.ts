import type { ReleaseFacts } from '../../operations/index.ts'
import type { Headers } from './answer.ts'
import { labelList } from './labels.ts'

interface ReleaseHeaders extends Headers {
  readonly 'x-warnings': string | undefined
}

/** Cached by release, or by dataset if there is no release. */
const cache = new WeakMap<object, ReleaseHeaders>()

/** Returns headers with facts about the release. Some bodies omit these facts. */
export function releaseHeaders(meta: ReleaseFacts): ReleaseHeaders {
  const key = meta.release ?? meta.dataset
  const cached = cache.get(key)
  if (cached) return cached
  const headers = {
    'x-dataset': meta.dataset.id,
    'x-release': meta.release?.id,
    'last-modified': meta.lastModified?.toUTCString(),
    'x-data-as-of': meta.release?.manifest.data_as_of,
    'x-known-gaps': labelList(meta.gaps),
    'x-warnings': labelList(meta.warnings),
  }
  cache.set(key, headers)
  return headers
}
