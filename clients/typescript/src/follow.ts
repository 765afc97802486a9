import { type CallOptions, pause } from './request.ts'
import type { Update, Updates, UpdatesParams } from './service.ts'

export interface FollowOptions extends CallOptions {
  /** Cursor of the last processed publication. Default: starts with new publications. */
  readonly cursor?: string | undefined
  /** Category of datasets. Default: all. */
  readonly category?: UpdatesParams['category'] | undefined
  /** Slug or id of a dataset. Default: all. */
  readonly dataset?: string | undefined
  /** Seconds between two requests. Default: 30. */
  readonly every?: number | undefined
}

/** A publication, with the cursor to resume after it. */
export interface Followed extends Update {
  readonly cursor: string
}

/**
 * A publication can appear this much later than its time states. A cursor therefore lists the
 * known publications of this period.
 */
const OVERLAP_MS = 60 * 60_000

/**
 * `at` is the time of the newest publication. `known` has the ids of publications in the hour
 * before.
 */
interface Place {
  readonly at: string
  readonly known: readonly string[]
}

/**
 * Yields each publication once, oldest first, and never ends. To resume later, pass the cursor of
 * the last processed publication.
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
      const newest = data[0]?.published_at ?? '1970-01-01T00:00:00+08:00'
      return { at: newest, known: (await since(overlapped(newest))).map(({ update_id }) => update_id) }
    }
  }

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

/** @throws Error for an invalid cursor */
function placeIn(cursor: string): Place {
  const [at = '', ...known] = cursor.split(' ')
  if (Number.isNaN(timeOf(at))) throw new Error('Invalid cursor. Use the cursor of a publication.')
  return { at, known }
}
