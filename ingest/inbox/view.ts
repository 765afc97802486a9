import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { taipei } from '../../src/core/index.ts'
import { type Taken, takenLately } from './archive.ts'
import { lookInto } from './look.ts'
import { inboxPlaces, unknownPlace } from './places.ts'

export interface WaitingFile {
  readonly inbox: string
  readonly file: string
  /** RFC 3339 in Taipei. */
  readonly modifiedAt: string
}

export interface LeftFile extends WaitingFile {
  readonly reason: string
  readonly reason_zh: string
}

export interface InboxView {
  /** Files that are not processed yet, oldest first. */
  readonly waiting: readonly WaitingFile[]
  readonly left: readonly LeftFile[]
  readonly taken: readonly Taken[]
}

/**
 * Scans the inbox without changing it.
 *
 * @param most maximum number of processed files
 */
export async function viewInbox(dataDir: string, most: number): Promise<InboxView> {
  const inbox = join(dataDir, 'inbox')
  const places = await inboxPlaces()
  const found = existsSync(inbox) ? lookInto(inbox, () => false).found : []
  const seen = found
    .toSorted((one, other) => one.modifiedAt - other.modifiedAt)
    .map(({ place, file, fault, modifiedAt }) => ({
      inbox: place,
      file,
      modifiedAt: taipei(new Date(modifiedAt)),
      reason: fault ?? (places.has(place) ? null : unknownPlace(place, places)),
    }))
  return {
    waiting: seen.flatMap(({ reason, ...file }) => (reason === null ? [file] : [])),
    left: seen.flatMap(({ reason, ...file }) => (reason === null ? [] : [{ ...file, reason: reason.en, reason_zh: reason.zh }])),
    taken: takenLately(join(dataDir, 'archive'), most),
  }
}
