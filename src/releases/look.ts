import { readFile } from 'node:fs/promises'
import type { Dataset } from '../../catalog/index.ts'
import { addDays } from '../core/index.ts'
import { type Manifest, releasePaths, SourceCheck } from './manifest.ts'

/** How many days a source may have had nothing to say, at the most: what is older was brought for another reason than to look. */
const SILENT_DAYS = 7

/** True where rows up to `newest` are the last a source had, and not a piece of its past. @param at instant in Taipei, RFC 3339 */
export const checksSource = (at: string, newest: string | null, held: string): boolean =>
  newest !== null && newest >= held && addDays(newest, SILENT_DAYS) >= at.slice(0, 10)

/** True where a release added rows of the newest days. A correction, or what fills in the past, looks at nothing. */
export function isSourceCheck({ changes, published_at, data_as_of }: Manifest): boolean {
  // The oldest releases do not tell added rows from others.
  const before = changes.kind === 'new_rows' ? changes.date_to : null
  return checksSource(published_at, changes.reach ? (changes.reach.added?.[1] ?? null) : before, data_as_of)
}

/** The last look recorded; null where there was none, or its record is damaged: then the release alone tells. */
export async function readSourceCheck(root: string, { slug }: Dataset): Promise<SourceCheck | null> {
  try {
    return SourceCheck.parse(JSON.parse(await readFile(releasePaths(root, slug).sourceCheck, 'utf8')))
  } catch {
    return null
  }
}
