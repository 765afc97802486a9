import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Serving, serving } from '../../fixtures/cli/twmd.ts'
import { dataFolder, SECRETS } from '../../support.ts'

let dir: string
let remove: () => Promise<void>
let service: Serving | undefined
beforeEach(async () => {
  ;({ dir, remove } = await dataFolder())
})
afterEach(async () => {
  await service?.stop()
  service = undefined
  await remove()
})

const CALENDAR = 'trading-calendar'
/** A trading day of the project's calendar. */
const DAY = '2026-12-07'

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(20)
}

function drop(name: string, content: string): void {
  const folder = join(dir, 'inbox', CALENDAR)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `.${name}`), content)
  renameSync(join(folder, `.${name}`), join(folder, name))
}

// biome-ignore lint/suspicious/noExplicitAny: the tests check the parsed answer without a type.
const json = async (answer: Promise<Response>): Promise<any> => (await answer).json()

const workers = async (): Promise<readonly Readonly<Record<string, unknown>>[]> => {
  const headers = { 'x-diagnostics-secret': SECRETS.DIAGNOSTICS_SECRET }
  return (await json(fetch(`${service!.url}/internal/db-diagnostics`, { headers }))).workers
}

/** Log lines of an event of the inbox. */
const logged = (event: string) =>
  service!
    .output()
    .split('\n')
    .filter(line => line.includes(`"event":"${event}"`))
    .map(line => JSON.parse(line))

it('a service with INBOX=on serves dropped files, logs their outcomes and stops its watcher when it stops', async () => {
  service = await serving(dir, 'serve', { INBOX: 'on', ...SECRETS })
  await until(async () => (await workers())[0]?.['running'] === true)
  drop('a.csv', `market,date,is_open\nTWSE,${DAY},false\n`)
  drop('bad.csv', 'market,date\nTWSE,2026-12-08\n')
  const headers = { authorization: `Bearer ${SECRETS.ADMIN_TOKEN}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ email: 'a@example.test', plan_id: 'free' })
  const { api_key } = await json(fetch(`${service.url}/v2/admin/grant-plan`, { method: 'POST', headers, body }))
  const read = `${service.url}/v2/datasets/${CALENDAR}?market=TWSE&start_date=${DAY}&end_date=${DAY}`
  await until(async () => ((await json(fetch(read, { headers: { 'x-api-key': api_key.api_key } }))).data ?? [])[0]?.is_open === false)
  // A scan between the two renames logs each file in a separate line. A line omits counts of zero.
  const taken = (): readonly { published?: number; refused?: number; releases: object }[] => logged('files taken')
  const filesOf = (record: { published?: number; refused?: number }): number => (record.published ?? 0) + (record.refused ?? 0)
  await until(() => taken().reduce((files, line) => files + filesOf(line), 0) === 2)
  expect(taken().every(line => filesOf(line) > 0)).toBe(true)
  expect(taken().map(line => line.releases)).toContainEqual({ [CALENDAR]: expect.any(String) })
  expect(logged('file refused')).toMatchObject([{ inbox: CALENDAR, file: 'bad.csv', rule: 'missing_column', level: 40 }])
  expect(await workers()).toMatchObject([{ name: 'watch', running: true, restarts: 0, last_failure: null }])

  const [watcher] = readdirSync(join(dir, 'inbox')).filter(name => name === '.watching')
  expect(watcher).toBe('.watching')
  expect(await service.stop()).toBe(0)
  expect(readdirSync(join(dir, 'inbox'))).not.toContain('.watching')
})
