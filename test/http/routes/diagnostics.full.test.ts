import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { ended, startTwmd } from '../../fixtures/cli/twmd.ts'
import { dataFolder } from '../../support.ts'

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

it('a production service shows no secret of its environment in answers, on the terminal or in its log', async () => {
  const { dir, remove } = await dataFolder()
  const child = startTwmd(dir, ['serve'], environment)
  const ending = ended(child)
  let url = ''
  for await (const record of createInterface({ input: child.stdout! })) {
    url = JSON.parse(record).url
    if (url) break
  }
  const ask = async (path: string, headers: Record<string, string>) => {
    const response = await fetch(`${url}${path}`, { headers })
    return { status: response.status, text: JSON.stringify([...response.headers]) + (await response.text()) }
  }
  const answers = [
    await ask('/internal/db-diagnostics', { 'x-diagnostics-secret': planted['DIAGNOSTICS_SECRET']! }),
    await ask('/internal/diagnostics-config', { 'x-diagnostics-probe': planted['DIAGNOSTICS_PROBE']! }),
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
