import { type CallOptions, pause } from './request.ts'
import type { Update, Updates, UpdatesParams } from './service.ts'

export interface FollowOptions extends CallOptions {
  /** Where an earlier call ended: the cursor of its last publication. When absent, publications from now on. */
  readonly cursor?: string | undefined
  /** One family of datasets. */
  readonly category?: UpdatesParams['category'] | undefined
  /** One dataset, by slug or id. */
  readonly dataset?: string | undefined
  /** Seconds between two questions; 30 when absent. */
  readonly every?: number | undefined
}

/** A publication, and the cursor to go on behind it. */
export interface Followed extends Update {
  readonly cursor: string
}

/** Publications may become known in another order than they were made: a cursor knows those of this long before. */
const OVERLAP_MS = 60 * 60_000

/** What a cursor says: the newest time of publication, and the publications that are known of the hour before it. */
interface Place {
  readonly at: string
  readonly known: readonly string[]
}

/**
 * Makes the iterator over publications. It yields each once, oldest first, and never ends by itself. Keep the cursor of the last one
 * that was dealt with: going on with it leaves out none.
 */
export const follow = (updates: (params: UpdatesParams, call?: CallOptions) => Promise<Updates>) =>
  async function* ({ cursor, every = 30, signal, ...narrowed }: FollowOptions = {}): AsyncGenerator<Followed, void> {
    const call = signal ? { signal } : {}
    const since = (at: string): Promise<readonly Update[]> => allSince(updates, { published_since: at, ...narrowed }, call)
    let place = cursor === undefined ? await presentPlace() : placeIn(cursor)
    for (;;) {
      const found = await since(overlapped(place.at))
      for (const update of found.filter(({ update_id }) => !place.known.includes(update_id))) {
        place = placeAfter(place, update, found)
        yield { ...update, cursor: cursorOf(place) }
      }
      await pause(every * (0.9 + Math.random() / 5), signal)
    }

    async function presentPlace(): Promise<Place> {
      const { data } = await updates({ published_since: '1970-01-01', limit: 1, ...narrowed }, call)
      const at = data[0]?.published_at ?? '1970-01-01T00:00:00+08:00'
      return { at, known: (await since(overlapped(at))).map(({ update_id }) => update_id) }
    }
  }

/** Every page, oldest publication first. */
async function allSince(
  updates: (params: UpdatesParams, call?: CallOptions) => Promise<Updates>,
  params: UpdatesParams,
  call: CallOptions,
): Promise<readonly Update[]> {
  const found: Update[] = []
  for (let page = await updates(params, call); ; page = await updates({ ...params, cursor: page.next_cursor! }, call)) {
    found.push(...page.data)
    if (page.next_cursor === null) return found.reverse()
  }
}

const timeOf = (at: string): number => Date.parse(at)
const overlapped = (at: string): string => new Date(Math.max(0, timeOf(at) - OVERLAP_MS)).toISOString()

function placeAfter({ at, known }: Place, update: Update, found: readonly Update[]): Place {
  const newest = timeOf(update.published_at) > timeOf(at) ? update.published_at : at
  const recent = new Set(found.filter(({ published_at }) => timeOf(published_at) >= timeOf(newest) - OVERLAP_MS).map(one => one.update_id))
  return { at: newest, known: [...known, update.update_id].filter(id => recent.has(id)) }
}

const cursorOf = ({ at, known }: Place): string => [at, ...known].join(' ')

/** @throws Error where it is none */
function placeIn(cursor: string): Place {
  const [at = '', ...known] = cursor.split(' ')
  if (Number.isNaN(timeOf(at))) throw new Error('cursor takes what a publication had as its cursor.')
  return { at, known }
}
