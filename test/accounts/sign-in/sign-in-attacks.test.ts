import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openControl } from '../../../src/control/index.ts'
import { MIGRATIONS } from '../../../src/state/migrations.ts'
import { createVault } from '../../../src/state/vault.ts'
import { dataFolder, NOW, SECRETS } from '../../support.ts'
import { type Portal, portal, refused } from '../portal.ts'

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
/** Uses up all attempts of a sign-in with wrong codes. */
async function burn(flow: string, code: string): Promise<void> {
  for (let tries = 0; tries < 6; tries++) expect(await statusOf(flow, wrong(code))).toBe(401)
  expect(await statusOf(flow, code), 'the right code after the attempts are used up').toBe(401)
}

describe('sign-ins started by an attacker', () => {
  it.each([
    ['after', (email: string) => [begin(email), begin(email)]],
    ['before', (email: string) => [begin(email), begin(email)].toReversed()],
  ])('if an attacker starts %s the owner and uses up all attempts, the owner’s attempts do not change', async (_, starts) => {
    const email = somebody()
    const [victim, attacker] = (await Promise.all(starts(email))) as [string, string]
    expect(attacker).not.toBe(victim)
    const code = await p.codeFor(email)
    await burn(attacker, code)
    expect(await statusOf(victim, code)).toBe(200)
  })

  it('if an attacker causes a second code, it replaces the first code and works in the owner’s sign-in', async () => {
    const email = somebody()
    const victim = await begin(email)
    const former = await p.codeFor(email)
    p.pass(1)
    await burn(await begin(email), await p.codeFor(email))
    expect(await statusOf(victim, former)).toBe(401)
    expect(await statusOf(victim, await p.codeFor(email))).toBe(200)
  })

  it('after the owner has used a code, the code does not work in an attacker’s sign-in', async () => {
    const email = somebody()
    const [victim, attacker] = [await begin(email), await begin(email)]
    const code = await p.codeFor(email)
    expect(await statusOf(victim, code)).toBe(200)
    expect(refused(await p.complete(attacker, code))).toEqual([401, 'invalid_or_expired_code'])
  })
})

describe('sign-ins that share one code', () => {
  const startAt = async (email: string, ip: string): Promise<string> => (await p.start(email, { ip })).json().flow_id

  it('25 sign-ins for one address start with the same response, except for the flow id', async () => {
    const email = somebody()
    const starts = []
    for (let count = 0; count < 25; count++) starts.push((await p.start(email)).json())
    const shapes = starts.map(start => ({ ...start, flow_id: start.flow_id.length }))
    for (const shape of shapes) expect(shape).toEqual(shapes[0])
    expect(new Set(starts.map(({ flow_id }) => flow_id)).size).toBe(25)
  })

  it('all sign-ins that share a code have 50 guesses in total; then the code ends and the next start mails another code', async () => {
    const email = somebody()
    const flows = []
    for (let count = 0; count < 11; count++) flows.push(await begin(email))
    const code = await p.codeFor(email)
    for (const flow of flows.slice(0, 9)) await burn(flow, code)
    for (let tries = 0; tries < 4; tries++) await statusOf(flows[9]!, wrong(code))
    expect(p.rows('SELECT guesses, ended_at FROM onboarding_code WHERE email_key = ?', email)).toEqual([{ guesses: 49, ended_at: null }])
    await statusOf(flows[9]!, wrong(code))
    expect(await statusOf(flows[10]!, code)).toBe(401)
    const next = await begin(email)
    const newer = await p.codeFor(email)
    expect(newer).not.toBe(code)
    expect(await statusOf(next, newer)).toBe(200)
  })

  it('sign-ins started under earlier codes share the 50 guesses of the newest code', async () => {
    const email = somebody()
    const flows = []
    for (let codes = 0; codes < 5; codes++) {
      for (let count = 0; count < 4; count++) flows.push(await begin(email))
      p.pass(1.1)
    }
    const code = await p.codeFor(email)
    for (const flow of flows) for (let tries = 0; tries < 5; tries++) await statusOf(flow, wrong(code))
    const [{ guesses }] = p.rows('SELECT max(guesses) AS guesses FROM onboarding_code WHERE email_key = ?', email) as [{ guesses: number }]
    expect(guesses).toBe(50)
  })

  it.each([
    ['203.0.113.7', 'before'],
    ['203.0.113.9', 'after'],
    ['2001:db8:1:2::%', 'before'],
    ['2001:db8:1:3::%', 'after'],
  ])('an attacker at %s cannot use up the guesses of an owner who starts a sign-in %s the attacker', async (place, after) => {
    const email = somebody()
    const earlier = await begin(email)
    const theirs = []
    for (let count = 0; count < 10; count++) theirs.push(await startAt(email, place.replace('%', String(count + 1))))
    const later = await begin(email)
    const code = await p.codeFor(email)
    for (const flow of theirs) for (let tries = 0; tries < 5; tries++) await statusOf(flow, wrong(code))
    expect(p.rows('SELECT guesses FROM onboarding_code WHERE email_key = ?', email)).toEqual([{ guesses: 15 }])
    expect(p.rows('SELECT ended_at FROM onboarding_code WHERE email_key = ?', email)).toEqual([{ ended_at: null }])
    for (const flow of [earlier, later]) expect(await statusOf(flow, wrong(code))).toBe(401)
    expect(await statusOf(after === 'after' ? later : earlier, code)).toBe(200)
  })

  it('a client address that has started too many sign-ins gets 429, and its open sign-ins still complete', async () => {
    const [email, ip] = [somebody(), '203.0.113.8']
    const flows = [await startAt(email, ip), await startAt(email, ip), await startAt(email, ip)]
    const code = await p.codeFor(email)
    for (const flow of flows) await statusOf(flow, wrong(code))
    const refusal = await p.start(email, { ip })
    expect(refused(refusal)).toEqual([429, 'rate_limited'])
    expect(refusal.headers['retry-after']).toBe('600')
    expect(await statusOf(flows[0]!, code)).toBe(200)
  })

  it('30 sign-ins by others do not prevent the owner from signing in', async () => {
    const email = somebody()
    for (let count = 0; count < 30; count++) await begin(email)
    const owners = await begin(email)
    expect(await statusOf(owners, await p.codeFor(email))).toBe(200)
    expect(p.rows('SELECT count(*) AS flows FROM onboarding_flow WHERE email_key = ?', email)).toEqual([{ flows: 20 }])
  })

  it('O5: ten sign-ins that send one code concurrently open one session', async () => {
    const email = somebody()
    const flows = []
    for (let count = 0; count < 10; count++) flows.push(await begin(email))
    const code = await p.codeFor(email)
    const statuses = await Promise.all(flows.map(flow => statusOf(flow, code)))
    expect(statuses.toSorted()).toEqual([200, ...Array(9).fill(401)])
  })

  it('a sign-in ends after ten minutes, even if a newer code is still valid', async () => {
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

it('R5: a sign-in started under schema version 4 completes with its remaining attempts', async () => {
  const { dir, remove } = await dataFolder()
  const stateDb = join(dir, 'state.sqlite')
  const vault = createVault([SECRETS.KEY_PEPPER], [Buffer.from(SECRETS.KEY_ENCRYPTION_KEY, 'base64')])
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

it('S5: no log line of the sign-in attacks contains a key, code or token', () => expect(p.leaked()).toEqual([]))
