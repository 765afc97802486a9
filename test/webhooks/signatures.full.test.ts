import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { signatureHeaders } from '../../src/webhooks/signing.ts'

/** A Python with the standardwebhooks package: `PYTHON`, or a virtual environment in `.venv`. */
const PYTHON = process.env['PYTHON'] ?? '.venv/bin/python'
const HAS_LIBRARY = spawnSync(PYTHON, ['-c', 'import standardwebhooks']).status === 0
const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`
const CODE = `import sys, datetime, standardwebhooks
secret, id, at, body = sys.argv[1:]
print(standardwebhooks.Webhook(secret).sign(id, datetime.datetime.fromtimestamp(int(at), datetime.timezone.utc), body))`

it.skipIf(!HAS_LIBRARY)('a webhook has the signature of the Python standardwebhooks library', () => {
  const [now, body] = [new Date('2026-07-01T12:00:00Z'), JSON.stringify({ type: 'webhook.test', data: { name: '台積電' } })]
  const ran = spawnSync(PYTHON, ['-c', CODE, SECRET, 'msg_1', String(now.getTime() / 1_000), body], { encoding: 'utf8' })
  expect([ran.stderr, ran.stdout.trim()]).toEqual(['', signatureHeaders('msg_1', body, [SECRET], now)['webhook-signature']])
})
