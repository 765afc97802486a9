import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Portal, portal, refused } from '../../accounts/portal.ts'
import { ended, startTwmd } from '../../fixtures/cli/twmd.ts'
import { dataFolder, SECRETS } from '../../support.ts'

let p: Portal
beforeAll(async () => {
  p = await portal()
})
afterAll(() => p.close())

const PATHS = [
  ['/internal/db-diagnostics', 'x-diagnostics-secret', SECRETS.DIAGNOSTICS_SECRET],
  ['/internal/diagnostics-config', 'x-diagnostics-probe', SECRETS.DIAGNOSTICS_PROBE],
] as const

describe.each(PATHS)('%s', (path, header, secret) => {
  const other = PATHS.find(([, , value]) => value !== secret)![2]

  it('does not exist without its header: the answer is that of an unknown path', async () => {
    const nowhere = await p.send('GET', '/internal/nowhere')
    const without = (body: string): string => body.replace(/req_[0-9a-z]{26}/g, 'req')
    for (const headers of [
      {},
      { [header]: '' },
      { [header]: 'guess' },
      { [header]: secret.slice(0, -1) },
      { [header]: secret.toUpperCase() },
      { [header]: other },
      { authorization: `Bearer ${secret}` },
      { 'x-admin-token': secret },
      { authorization: `Bearer ${SECRETS.ADMIN_TOKEN}` },
      { 'x-api-key': p.keyOn('max') },
    ] as Record<string, string>[]) {
      const response = await p.send('GET', path, headers)
      expect(refused(response), Object.keys(headers)[0] ?? 'nothing').toEqual([404, 'unknown_path'])
      expect(without(response.body)).toBe(without(nowhere.body))
      expect(Object.keys(response.headers).toSorted()).toEqual(Object.keys(nowhere.headers).toSorted())
    }
  })

  it('answers a request with its header, and no cache stores the answer', async () => {
    const response = await p.send('GET', path, { [header]: secret })
    expect([response.statusCode, response.headers['cache-control']]).toEqual([200, 'no-store'])
  })
})

it('diagnostics describe the state in numbers', async () => {
  p.keyOn('free', 'counted@example.test')
  const { state } = (await p.send('GET', PATHS[0][0], { [PATHS[0][1]]: PATHS[0][2] })).json()
  const [{ accounts }] = p.rows('SELECT count(*) AS accounts FROM account') as [{ accounts: number }]
  const [{ keys }] = p.rows("SELECT count(*) AS keys FROM api_key WHERE status = 'active'") as [{ keys: number }]
  expect(state).toMatchObject({ journal_mode: 'wal', quick_check: 'ok', accounts, active_keys: keys, ledger_rows: 0, credits_used: 0 })
  expect(state.size_bytes).toBeGreaterThan(4_096)
})

describe('a service in production, with every secret planted in its environment', () => {
  const planted = Object.fromEntries(
    ['KEY_PEPPER', 'SERVICE_TOKEN', 'ADMIN_TOKEN', 'DIAGNOSTICS_SECRET', 'DIAGNOSTICS_PROBE', 'FILE_SIGNING_SECRET'].map(name => [
      name,
      `planted-${randomBytes(20).toString('hex')}`,
    ]),
  )
  const password = `planted-${randomBytes(8).toString('hex')}`
  const environment: Readonly<Record<string, string>> = {
    ...planted,
    KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    NODE_ENV: 'production',
    MAIL_URL: `smtp://user:${password}@127.0.0.1:9`,
    PORT: '0',
  }
  const secrets = [...Object.values(planted), environment['KEY_ENCRYPTION_KEY']!, password]

  it('shows none of them, in answers, on the terminal or in its log', async () => {
    const { dir, remove } = await dataFolder()
    const child = startTwmd(dir, ['serve'], environment)
    const ending = ended(child)
    let url = ''
    for await (const line of createInterface({ input: child.stdout! })) {
      url = JSON.parse(line).url
      if (url) break
    }
    const ask = async (path: string, headers: Record<string, string>) => {
      const response = await fetch(`${url}${path}`, { headers })
      return { status: response.status, text: JSON.stringify([...response.headers]) + (await response.text()) }
    }
    const answers = [
      await ask(PATHS[0][0], { [PATHS[0][1]]: planted['DIAGNOSTICS_SECRET']! }),
      await ask(PATHS[1][0], { [PATHS[1][1]]: planted['DIAGNOSTICS_PROBE']! }),
      await ask('/v2/account/summary', { authorization: `Bearer ${planted['SERVICE_TOKEN']}`, 'x-account-email': 'a@example.test' }),
      await ask('/v2/account/summary', { authorization: `Bearer ${planted['ADMIN_TOKEN']}` }),
      await ask('/readyz', {}),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 401, 503])
    const config = answers[1]!.text
    for (const name of [...Object.keys(planted), 'KEY_ENCRYPTION_KEY']) expect(config).toContain(`"${name}":true`)
    child.kill('SIGTERM')
    const { code, stdout, stderr } = await ending
    const doctor = await ended(startTwmd(dir, ['doctor', '--json'], environment))
    expect([code, doctor.code]).toEqual([0, 1])
    const everything = [...answers.map(({ text }) => text), stdout, stderr, doctor.stdout, doctor.stderr].join('\n')
    expect(everything).toContain('"event":"refused"')
    for (const secret of secrets) expect(everything.includes(secret), secret.slice(0, 8)).toBe(false)
    await remove()
  })
})
