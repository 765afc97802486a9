import type { ReleaseFacts } from '../../operations/index.ts'
import type { Headers } from './answer.ts'
import { labelList } from './labels.ts'

/** Headers by release, or by dataset where it has none: they are the same for every read of it. */
const made = new WeakMap<object, Headers>()

/**
 * Facts about the dataset and release that the body may omit. Lists of labels are separated by
 * commas.
 */
export function releaseHeaders(meta: ReleaseFacts): Headers {
  const of = meta.release ?? meta.dataset
  const known = made.get(of)
  if (known) return known
  const headers = {
    'x-dataset': meta.dataset.id,
    'x-release': meta.release?.id,
    'last-modified': meta.lastModified?.toUTCString(),
    'x-data-as-of': meta.release?.manifest.data_as_of,
    'x-known-gaps': labelList(meta.gaps),
    'x-warnings': labelList(meta.warnings),
  }
  made.set(of, headers)
  return headers
}
