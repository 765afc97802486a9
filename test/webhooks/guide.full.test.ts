import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createSender } from '../../src/webhooks/sender.ts'
import { signatureHeaders } from '../../src/webhooks/signing.ts'
import { blocksOf } from '../behaviour/documents/documents.ts'
import { freePort } from '../fixtures/free-port.ts'
import { dataFolder } from '../support.ts'

/** A Python with the standardwebhooks package: `PYTHON`, or a virtual environment in `.venv`. */
const PYTHON = process.env['PYTHON'] ?? '.venv/bin/python'
const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`
const BODY = JSON.stringify({ type: 'webhook.test', timestamp: '2026-07-01T20:00:00.000+08:00', data: { name: '台積電' } })

let home: Awaited<ReturnType<typeof dataFolder>>
beforeAll(async () => {
  home = await dataFolder()
  symlinkSync(resolve('node_modules'), join(home.dir, 'node_modules'))
  writeFileSync(join(home.dir, 'package.json'), '{"type":"module"}')
  for (const { file, text } of blocksOf('docs/webhooks.md')) if (file) writeFileSync(join(home.dir, file), text)
})
afterAll(() => home.remove())

it.each([
  ['Node', process.execPath, 'receive.ts', true],
  ['Python', resolve(PYTHON), 'receive.py', spawnSync(PYTHON, ['-c', 'import standardwebhooks']).status === 0],
] as const)('the %s receiver of the webhook guide accepts signed messages once and refuses others', async (_, program, file, runs) => {
  if (!runs) return console.log(`${PYTHON} has no standardwebhooks, so ${file} is not run`)
  const port = await freePort()
  const child: ChildProcess = spawn(program, [file], { cwd: home.dir, env: { WEBHOOK_SECRET: SECRET, PORT: String(port) } })
  try {
    let output = ''
    child.stdout!.on('data', text => (output += text))
    await vi.waitUntil(() => output.includes('listening'), { timeout: 60_000 })
    const sender = createSender({ privateHosts: true })
    const send = async (headers: object, body = BODY) =>
      (await sender.post(`http://127.0.0.1:${port}/`, { ...headers }, body, new AbortController().signal)).status
    const now = new Date()
    const headers = signatureHeaders('msg_1', BODY, [SECRET], now)
    expect(await send(headers)).toBe(204)
    expect(await send(headers)).toBe(204)
    expect(await send(signatureHeaders('msg_2', BODY, [`whsec_${Buffer.alloc(32, 6).toString('base64')}`, SECRET], now))).toBe(204)
    expect(await send(headers, BODY.replace('test', 'late'))).toBe(401)
    expect(await send({ ...headers, 'webhook-signature': 'v2' })).toBe(401)
    expect(await send({ ...headers, 'webhook-signature': 'v1,not base64' })).toBe(401)
    expect(await send(signatureHeaders('msg_1', BODY, [SECRET], new Date(now.getTime() - 3_600_000)))).toBe(401)
    await vi.waitUntil(() => output.split('webhook.test').length === 3, { timeout: 60_000 })
  } finally {
    child.kill()
    await once(child, 'exit')
  }
})
