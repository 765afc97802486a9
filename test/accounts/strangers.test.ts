import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MIGRATIONS } from '../../src/accounts/migrations.ts'
import { openControl } from '../../src/accounts/open.ts'
import { openVault } from '../../src/accounts/vault.ts'
import { dataFolder, NOW, SECRETS } from '../support.ts'
import { type Portal, portal, refused } from './portal.ts'

let p: Portal
beforeAll(async () => {
  p = await portal({ limits: true })
})
afterAll(() => p.close())

let people = 0
const somebody = (): string => `victim${people++}@example.test`
const begin = async (email: string): Promise<string> => (await p.start(email)).json().flow_id
const wrong = (code: string): string => String((Number(code) + 1) % 1e8).padStart(8, '0')
const statusOf = async (flow: string, code: string): Promise<number> => (await p.complete(flow, code)).statusCode
/** Every try a flow has, each a wrong one. */
async function burn(flow: string, code: string): Promise<void> {
  for (let tries = 0; tries < 6; tries++) expect(await statusOf(flow, wrong(code))).toBe(401)
  expect(await statusOf(flow, code), 'the burnt flow takes nothing').toBe(401)
}

describe('a stranger who starts a sign-in for somebody else’s address', () => {
  it.each([
    ['after them', (email: string) => [begin(email), begin(email)]],
    ['before them', (email: string) => [begin(email), begin(email)].toReversed()],
  ])('%s, and burns its tries, leaves theirs', async (_, starts) => {
    const email = somebody()
    const [victim, stranger] = (await Promise.all(starts(email))) as [string, string]
    expect(stranger).not.toBe(victim)
    const code = await p.codeFor(email)
    await burn(stranger, code)
    expect(await statusOf(victim, code)).toBe(200)
  })

  it('and has another code mailed, leaves theirs: the newest code works in it, the former one no more', async () => {
    const email = somebody()
    const victim = await begin(email)
    const former = await p.codeFor(email)
    p.pass(1)
    await burn(await begin(email), await p.codeFor(email))
    expect(await statusOf(victim, former)).toBe(401)
    expect(await statusOf(victim, await p.codeFor(email))).toBe(200)
  })

  it('and keeps it, has nothing of a code once it was used', async () => {
    const email = somebody()
    const [victim, stranger] = [await begin(email), await begin(email)]
    const code = await p.codeFor(email)
    expect(await statusOf(victim, code)).toBe(200)
    expect(refused(await p.complete(stranger, code))).toEqual([401, 'invalid_or_expired_code'])
  })
})

describe('the flows of one code', () => {
  it('are ten, with fifty guesses in all; one more answers alike and takes nothing', async () => {
    const email = somebody()
    const starts = []
    for (let count = 0; count < 12; count++) starts.push((await p.start(email)).json())
    const code = await p.codeFor(email)
    const shapes = starts.map(start => ({ ...start, flow_id: start.flow_id.length }))
    for (const shape of shapes) expect(shape).toEqual(shapes[0])
    const flows: string[] = starts.map(({ flow_id }) => flow_id)
    expect(new Set(flows).size).toBe(12)
    for (const flow of flows.slice(1, 10)) await burn(flow, code)
    for (const flow of flows.slice(10)) expect(refused(await p.complete(flow, code))).toEqual([401, 'invalid_or_expired_code'])
    const [{ tries }] = p.rows('SELECT sum(attempts) AS tries FROM onboarding_flow WHERE email_key = ?', email) as [{ tries: number }]
    expect(tries).toBe(45)
    expect(await statusOf(flows[0]!, code)).toBe(200)
  })

  it('O5: let one in where all of them send it at once', async () => {
    const email = somebody()
    const flows = []
    for (let count = 0; count < 10; count++) flows.push(await begin(email))
    const code = await p.codeFor(email)
    const statuses = await Promise.all(flows.map(flow => statusOf(flow, code)))
    expect(statuses.toSorted()).toEqual([200, ...Array(9).fill(401)])
  })

  it('are ten again with the next code', async () => {
    const email = somebody()
    for (let count = 0; count < 10; count++) await begin(email)
    const late = await begin(email)
    expect(await statusOf(late, await p.codeFor(email))).toBe(401)
    p.pass(1)
    const flow = await begin(email)
    expect(await statusOf(flow, await p.codeFor(email))).toBe(200)
  })

  it('end after ten minutes, though a newer code lives on', async () => {
    const email = somebody()
    const flow = await begin(email)
    p.pass(9)
    const newer = await begin(email)
    const code = await p.codeFor(email)
    p.pass(1)
    expect(await statusOf(flow, code)).toBe(401)
    expect(await statusOf(newer, code)).toBe(200)
  })
})

it('R5: a sign-in that was begun under the former schema can be completed, with the tries it has left', async () => {
  const { dir, remove } = await dataFolder()
  const stateDb = join(dir, 'state.sqlite')
  const vault = openVault([SECRETS.KEY_PEPPER], [Buffer.from(SECRETS.KEY_ENCRYPTION_KEY, 'base64')])
  const db = new Sqlite(stateDb)
  for (const step of MIGRATIONS.slice(0, 4)) db.exec(step)
  db.pragma('user_version = 4')
  const put = db.prepare(
    "INSERT INTO onboarding_flow VALUES (?, ?, ?, ?, ?, '2026-07-01T19:55:00.000+08:00', '2026-07-01T20:05:00.000+08:00', ?)",
  )
  for (const [id, attempts, ended] of [
    ['flow_running', 4, null],
    ['flow_burnt', 5, null],
    ['flow_used', 1, '2026-07-01T19:56:00.000+08:00'],
  ] as const)
    put.run(id, `${id}@example.test`, `${id}@example.test`, vault.lookup(`onboarding|${id}|12345678`), attempts, ended)
  db.close()
  const control = openControl({ stateDb }, SECRETS)
  const complete = (id: string) => control.onboarding.complete(id, '12345678', NOW)
  expect(['flow_running', 'flow_burnt', 'flow_used'].map(complete)).toEqual(['flow_running@example.test', undefined, undefined])
  control.close()
  await remove()
})

it('S5: no log line holds a key, code or token of this run', () => expect(p.leaked()).toEqual([]))
