import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createSender } from '../../src/webhooks/sender.ts'
import { certificateChain, hasOpenssl } from '../fixtures/certificates.ts'

it.skipIf(!hasOpenssl())('a webhook to a receiver with an untrusted certificate fails with the error certificate', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'twmd-ca-'))
  const server = createServer(certificateChain(dir), (_, answer) => answer.end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    const sender = createSender({ privateHosts: true, timeoutMs: 30_000 })
    const sent = await sender.post(`https://127.0.0.1:${port}/hook`, {}, '{}', new AbortController().signal)
    expect(sent).toMatchObject({ status: null, error: 'certificate' })
  } finally {
    server.close()
    rmSync(dir, { recursive: true, force: true })
  }
})
