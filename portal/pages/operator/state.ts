import { signal } from '@preact/signals'
import type { CatalogDataset, DatasetCatalog } from '../../../clients/typescript/src/index.ts'
import { titleOf } from '../../api/catalog.ts'
import { type Answer, ask, type Refused, type Request } from '../../api/client.ts'
import type { Sections, Snapshot } from './sections.ts'

const NOTHING: Snapshot = {
  queues: null,
  damage: null,
  quarantine: null,
  inbox: null,
  feeds: null,
  releases: null,
  'slow-reads': null,
}
const NAMES = Object.keys(NOTHING) as readonly (keyof Sections)[]

/** The accepted admin token. It is never in browser storage, links or logs. */
const token = signal<string | null>(null)

export const isIn = signal(false)
export const turnedAway = signal<Refused | null>(null)
/** Last loaded value of each section. Null before the first refresh. */
export const snapshot = signal<Snapshot>(NOTHING)
export const standings = signal<readonly CatalogDataset[]>([])
/**
 * Returns the name of a dataset, also of an internal one, which the catalog omits. The slug while
 * the releases are not loaded.
 */
export function titleBy(slug: string): string {
  const dataset = snapshot.value.releases?.data.find(one => one.slug === slug)
  return dataset ? titleOf(dataset) : slug
}
/**
 * Sections whose last refresh failed, with the reason. `snapshot` contains their earlier values.
 */
export const troubles = signal<Readonly<Partial<Record<keyof Sections, Refused>>>>({})
/** Time of the last refresh in milliseconds since 1970. Null before the first one. */
export const readAt = signal<number | null>(null)
export const isReading = signal(false)

/** Counts deleted tokens. Responses to requests with a deleted token are ignored. */
let visit = 0

/**
 * Sends a request with the token and without the customer's cookie. Deletes the token if it is
 * rejected.
 */
export async function askOperator<T>(request: Request, as: string | null = token.value): Promise<Answer<T>> {
  const startedIn = visit
  const answer = await ask<T>({
    ...request,
    path: `/v2/admin/${request.path}`,
    headers: { ...request.headers, 'x-admin-token': as ?? '' },
    asVisitor: true,
  })
  if (!answer.ok && answer.refused.status === 401 && startedIn === visit) {
    forgetToken()
    turnedAway.value = answer.refused
  }
  return answer
}

/**
 * Stores a token that the service accepts.
 *
 * @param typed printable ASCII, as a header requires
 */
export async function enter(typed: string): Promise<void> {
  isReading.value = true
  const startedIn = visit
  const answer = await askOperator<Sections['queues']>({ path: 'queues' }, typed)
  isReading.value = false
  if (startedIn !== visit) return
  if (!answer.ok) {
    turnedAway.value = answer.refused
    return
  }
  token.value = typed
  turnedAway.value = null
  snapshot.value = { ...NOTHING, queues: answer.body }
  isIn.value = true
  await readAll()
}

/** Deletes the token and all data that was loaded with it. */
export function forgetToken(): void {
  visit += 1
  token.value = null
  isIn.value = false
  turnedAway.value = null
  snapshot.value = NOTHING
  troubles.value = {}
  readAt.value = null
  isReading.value = false
}

let reading: Promise<void> | null = null

/** Refreshes all sections, unless a refresh is running. */
export function readAll(): Promise<void> {
  reading ??= readSections().finally(() => (reading = null))
  return reading
}

/** Refreshes all sections. Waits for a running refresh first. */
export async function readChanged(): Promise<void> {
  await reading
  await readAll()
}

async function readSections(): Promise<void> {
  if (!isIn.value) return
  isReading.value = true
  const startedIn = visit
  const catalog = ask<DatasetCatalog>({ path: '/v2/datasets', asVisitor: true })
  const answers = await Promise.all(NAMES.map(async name => [name, await askOperator<unknown>({ path: name })] as const))
  const entries = await catalog
  if (startedIn !== visit) return
  isReading.value = false
  if (entries.ok) standings.value = entries.body.data
  const read = Object.fromEntries(answers.flatMap(([name, answer]) => (answer.ok ? [[name, answer.body]] : [])))
  snapshot.value = { ...snapshot.value, ...(read as Partial<Snapshot>) }
  troubles.value = Object.fromEntries(answers.flatMap(([name, answer]) => (answer.ok ? [] : [[name, answer.refused]])))
  if (answers.some(([, answer]) => answer.ok)) readAt.value = Date.now()
}
