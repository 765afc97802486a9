import { signal } from '@preact/signals'
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

/** The token that was typed and let in. Kept here alone: whatever is stored, linked or logged never has it. */
const token = signal<string | null>(null)

/** True once a token was let in. */
export const isIn = signal(false)
/** Why a token was not let in, or no longer. */
export const turnedAway = signal<Refused | null>(null)
export const snapshot = signal<Snapshot>(NOTHING)
/** Sections that could not be read the last time; what was read before stays in `snapshot`. */
export const troubles = signal<Readonly<Partial<Record<keyof Sections, Refused>>>>({})
/** Milliseconds since 1970 at which every section was asked for last; null before. */
export const readAt = signal<number | null>(null)
export const isReading = signal(false)

/** Counts forgettings: an answer to a question of an earlier visit is dropped. */
let visit = 0

/** Asks as the operator, without the cookie of a customer. A token that is not taken, or no longer, is forgotten. */
export async function askOperator<T>(request: Request, as: string | null = token.value): Promise<Answer<T>> {
  const asked = visit
  const answer = await ask<T>({
    ...request,
    path: `/v2/admin/${request.path}`,
    headers: { ...request.headers, 'x-admin-token': as ?? '' },
    asVisitor: true,
  })
  if (!answer.ok && answer.refused.status === 401 && asked === visit) {
    forgetToken()
    turnedAway.value = answer.refused
  }
  return answer
}

/** Keeps a token if the service takes it. @param typed printable ASCII, which is all a header can carry */
export async function enter(typed: string): Promise<void> {
  isReading.value = true
  const asked = visit
  const answer = await askOperator<Sections['queues']>({ path: 'queues' }, typed)
  isReading.value = false
  if (asked !== visit) return
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

/** Forgets the token and everything that was read with it. */
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

/** Reads every section anew; while that is under way, no second time. */
export function readAll(): Promise<void> {
  reading ??= readSections().finally(() => (reading = null))
  return reading
}

/** Reads every section anew after what was changed just now. */
export async function readChanged(): Promise<void> {
  await reading
  await readAll()
}

async function readSections(): Promise<void> {
  if (!isIn.value) return
  isReading.value = true
  const asked = visit
  const answers = await Promise.all(NAMES.map(async name => [name, await askOperator<unknown>({ path: name })] as const))
  if (asked !== visit) return
  isReading.value = false
  const read = Object.fromEntries(answers.flatMap(([name, answer]) => (answer.ok ? [[name, answer.body]] : [])))
  snapshot.value = { ...snapshot.value, ...(read as Partial<Snapshot>) }
  troubles.value = Object.fromEntries(answers.flatMap(([name, answer]) => (answer.ok ? [] : [[name, answer.refused]])))
  if (answers.some(([, answer]) => answer.ok)) readAt.value = Date.now()
}
