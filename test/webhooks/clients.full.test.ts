import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { request } from 'undici'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { verifyWebhook } from '../../clients/typescript/src/index.ts'
import { readEmail } from '../../src/accounts/index.ts'
import { openControl } from '../../src/control/index.ts'
import { type Serving, serving } from '../fixtures/cli/twmd.ts'
import { dataFolder, SECRETS } from '../support.ts'
import { type Received, receiver } from './receiver.ts'

const PYTHON = process.env['PYTHON3'] ?? 'python3'
const HAS_PYTHON = spawnSync(PYTHON, ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))']).status === 0
/** The package's file for verification, which only needs Python. */
const VERIFIER = resolve('clients/python/src/twmd/webhooks.py')
const CODE = `import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("webhooks", sys.argv[1])
webhooks = importlib.util.module_from_spec(spec)
spec.loader.exec_module(webhooks)
secret, headers, body = json.load(sys.stdin)
try:
    print(json.dumps(webhooks.verify_webhook(secret, headers, body.encode())))
except webhooks.WebhookError as error:
    print(json.dumps(None))`

let folder: Awaited<ReturnType<typeof dataFolder>>
let r: Awaited<ReturnType<typeof receiver>>
let service: Serving
let token = ''
beforeAll(async () => {
  ;[folder, r] = [await dataFolder(), await receiver()]
  const control = openControl({ stateDb: `${folder.dir}/state.sqlite` }, SECRETS)
  const account = control.accounts.ensure(readEmail('owner@example.test')!, new Date())
  ;({ token } = control.sessions.open(account.id, new Date()))
  control.close()
  service = await serving(folder.dir, 'serve', { ...SECRETS, WEBHOOK_PRIVATE_HOSTS: 'on' })
})
afterAll(async () => {
  await service.stop()
  r.close()
  await folder.remove()
})

const call = async (path: string, body?: object) => {
  const headers = { 'x-self-serve-token': token, ...(body && { 'content-type': 'application/json' }) }
  const options = { method: 'POST', headers, ...(body && { body: JSON.stringify(body) }) } as const
  const answer = await request(`${service.url}/v2/self-serve/webhooks${path}`, options)
  return (await answer.body.json()) as Readonly<Record<string, string>>
}

/** The event that each client reads from a message; null if it rejects the message. */
const inTypeScript = (secret: string, { headers, body }: Received) => verifyWebhook(secret, headers, body).catch(() => null)
function inPython(secret: string, { headers, body }: Received): unknown {
  const ran = spawnSync(PYTHON, ['-c', CODE, VERIFIER], { input: JSON.stringify([secret, headers, body]), encoding: 'utf8' })
  expect(ran.stderr).toBe('')
  return JSON.parse(ran.stdout)
}

it('the TypeScript and Python clients verify webhooks of a running service with both secrets of a rotation', async () => {
  if (!HAS_PYTHON) console.log(`${PYTHON} is not 3.10 or newer, so the Python client is not run`)
  const verifiers = HAS_PYTHON ? [inTypeScript, inPython] : [inTypeScript]
  const { webhook_id: id, secret } = await call('', { url: r.url.replace('127.0.0.1', 'localhost') })
  const { secret: next } = await call(`/${id}/rotate`)
  await call(`/${id}/test`)
  await vi.waitUntil(() => r.messages.length > 0, { timeout: 60_000 })
  const [message] = r.taken()
  const event = { type: 'webhook.test', timestamp: message!.event.timestamp, data: { webhook_id: id } }
  const changed = { ...message!, body: message!.body.replace('test', 'text') }
  for (const verify of verifiers) {
    expect(await verify(secret!, message!)).toEqual(event)
    expect(await verify(next!, message!)).toEqual(event)
    expect(await verify(`whsec_${Buffer.alloc(32, 7).toString('base64')}`, message!)).toBeNull()
    expect(await verify(next!, changed)).toBeNull()
  }
})
