import type { ReadMeta } from '../../../operations/index.ts'
import type { Headers } from '../../kernel/index.ts'

/** Characters of the longest list of labels in a header; what is beyond is in the catalog. */
const LONGEST = 1_000
/** Ends a list that was cut. */
const CUT = 'and_more'

/** Headers by release, or by dataset where it has none: they are the same for every read of it. */
const made = new WeakMap<object, Headers>()

/** What an answer’s body may leave out about its dataset and release. Lists of labels are separated by commas. */
export function releaseHeaders(meta: Pick<ReadMeta, 'dataset' | 'release' | 'lastModified' | 'gaps' | 'warnings'>): Headers {
  const of = meta.release ?? meta.dataset
  const known = made.get(of)
  if (known) return known
  const headers = {
    'x-dataset': meta.dataset.id,
    'x-release': meta.release?.id,
    'last-modified': meta.lastModified?.toUTCString(),
    'x-data-as-of': meta.release?.manifest.data_as_of,
    'x-known-gaps': listed(meta.gaps),
    'x-warnings': listed(meta.warnings),
  }
  made.set(of, headers)
  return headers
}

/** Whole labels, as many as there is room for; undefined for none. A label that is no plain word is percent-encoded. */
function listed(labels: readonly string[]): string | undefined {
  let list = ''
  for (const label of labels.map(encodeURIComponent)) {
    const longer = list === '' ? label : `${list}, ${label}`
    if (longer.length > LONGEST) return `${list}, ${CUT}`
    list = longer
  }
  return list || undefined
}
