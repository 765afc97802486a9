import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Update, Updates } from '../../../clients/typescript/src/index.ts'
import type { Remote } from '../../../ingest/mirror/index.ts'
import { Refusal } from '../../core/index.ts'
import { print, say } from '../terminal.ts'
import { jsonAt, openService, type ServiceOptions, withQuery, withService } from './connection.ts'
import { visible } from './visible.ts'
import { replaceFile } from './whole-file.ts'

interface Options extends ServiceOptions {
  readonly dataset?: string
  readonly since?: string
  readonly cursorFile?: string
  readonly every: string
  readonly once?: true
  readonly json?: true
}

/** Time of the newest publication, and the ids of publications in the hour before. */
interface Place {
  readonly at: string
  readonly told: readonly string[]
}

const LEAST_EVERY_S = 1
/** Publications that are less than this time apart may be in the wrong order. */
const OVERLAP_MS = 60 * 60_000

export function tailCommand(program: Command): void {
  const command = program
    .command('tail')
    .description('print new publications of a service until stopped; free, no key')
    .option('--dataset <slugs>', 'datasets, separated by commas; default all')
    .option('--since <time>', 'start at a day or time instead of now')
    .option('--cursor-file <file>', 'file with the position, to resume the next time')
    .option('--every <seconds>', 'polling interval', '30')
    .option('--once', 'print existing publications and exit')
    .option('--json', 'print one JSON document per line')
  withService(command).action(tail)
}

async function tail(options: Options): Promise<void> {
  const every = Number(options.every)
  if (!(every >= LEAST_EVERY_S)) throw new Error(`--every must be at least ${LEAST_EVERY_S} seconds.`)
  const remote = await openService(options)
  const wanted = options.dataset?.split(',')
  let place = await placeToBegin(remote, options)
  for (;;) {
    const updates = await publishedSince(remote, earlier(place.at)).catch(error => laterUnlessOnce(error, options))
    for (const update of updates.filter(({ update_id }) => !place.told.includes(update_id))) {
      if (!wanted || wanted.includes(update.slug) || wanted.includes(update.dataset)) print(lineOf(update, options.json === true))
      place = placeAfter(place, update, updates)
      // The place is stored after printing. A killed process may repeat a line, but never skips
      // one.
      if (options.cursorFile !== undefined) keepPlace(options.cursorFile, place)
    }
    if (options.cursorFile !== undefined && !existsSync(options.cursorFile)) keepPlace(options.cursorFile, place)
    if (options.once) return
    await sleep(every * 1_000 * (0.9 + Math.random() / 5))
  }
}

async function placeToBegin(remote: Remote, { since, cursorFile }: Options): Promise<Place> {
  if (cursorFile !== undefined && existsSync(cursorFile)) return keptPlace(cursorFile)
  // Publications in the hour before the start count as printed.
  const at = since ?? (await newestTime(remote))
  const from = since === undefined ? at : await firstMoment(remote, since)
  const before = (await publishedSince(remote, earlier(from))).filter(one => since === undefined || timeOf(one.published_at) < timeOf(from))
  return { at: from, told: before.map(({ update_id }) => update_id) }
}

const page = (remote: Remote, params: Readonly<Record<string, string | undefined>>): Promise<Updates> =>
  jsonAt<Updates>(remote, withQuery('/v2/updates', params))

/** The service converts a day to midnight in Taipei. */
const firstMoment = async (remote: Remote, since: string): Promise<string> =>
  (await page(remote, { published_since: since, limit: '1' })).published_since ?? since

const newestTime = async (remote: Remote): Promise<string> =>
  (await page(remote, { published_since: '1970-01-01', limit: '1' })).data[0]?.published_at ?? '1970-01-01T08:00:00+08:00'

/** Oldest first. */
async function publishedSince(remote: Remote, at: string): Promise<readonly Update[]> {
  const found: Update[] = []
  let cursor: string | undefined
  do {
    const { data, next_cursor } = await page(remote, { published_since: at, limit: '1000', cursor })
    found.push(...data)
    cursor = next_cursor ?? undefined
  } while (cursor !== undefined)
  return found.reverse()
}

/**
 * If the service is unavailable, the next poll tries again.
 * @throws other errors, and all errors if `once` is set
 */
function laterUnlessOnce(error: unknown, { once }: Options): readonly Update[] {
  if (once || !(error instanceof Refusal) || error.code !== 'overloaded') throw error
  say(error.message)
  return []
}

const timeOf = (at: string): number => Date.parse(at)
const earlier = (at: string): string => new Date(Math.max(0, timeOf(at) - OVERLAP_MS)).toISOString()

function placeAfter({ at, told }: Place, update: Update, found: readonly Update[]): Place {
  const newest = timeOf(update.published_at) > timeOf(at) ? update.published_at : at
  const recent = new Set(found.filter(one => timeOf(one.published_at) >= timeOf(newest) - OVERLAP_MS).map(({ update_id }) => update_id))
  return { at: newest, told: [...told, update.update_id].filter(id => recent.has(id)) }
}

const keepPlace = (file: string, place: Place): void => replaceFile(file, `${JSON.stringify(place)}\n`)

/** @throws Error if the file is not a cursor file */
function keptPlace(file: string): Place {
  try {
    const { at, told } = JSON.parse(readFileSync(file, 'utf8')) as Place
    if (!Number.isNaN(timeOf(at)) && Array.isArray(told)) return { at, told }
  } catch {
    // The error below reports the failure.
  }
  throw new Error(`${file} is not a cursor file of twmd tail. Use another file, or delete it to start over.`)
}

function lineOf(update: Update, json: boolean): string {
  if (json) return JSON.stringify(update)
  const {
    published_at,
    slug,
    kind,
    rows_added,
    rows_changed,
    rows_removed,
    data_date_from: from,
    data_date_to: to,
    release_version,
  } = update
  const days = from === null ? 'no days' : from === to ? from : `${from} to ${to}`
  return visible(
    `${published_at.slice(0, 19).replace('T', ' ')}  ${slug}  ${kind}  +${rows_added} ~${rows_changed} -${rows_removed}  ${days}  ${release_version}`,
  )
}
