import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { CHECKOUT, ended, environment } from '../fixtures/cli/twmd.ts'
import { dataFolder } from '../support.ts'

const CSV = 'name\r\n"a\u001b[2J\u009b2J\u202eb"\r\n'
const CATALOG = JSON.stringify({ data: [{ slug: 'd', dataset: 'd', links: { read: '/read/d', schema: '/schema' } }] })

it.runIf(existsSync('/usr/bin/script') && process.platform === 'linux')(
  'twmd read escapes control characters of rows on a terminal',
  async () => {
    const { dir, remove } = await dataFolder()
    const server = createServer((request, response) => void response.end(request.url!.startsWith('/read') ? CSV : CATALOG))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const command = `${process.execPath} src/cli/index.ts read d --format csv`
    const env = environment(dir, { TWMD_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, TWMD_API_KEY: 'sk_live_x' })
    const typescript = spawn('/usr/bin/script', ['-qec', command, '/dev/null'], { cwd: CHECKOUT, env, stdio: ['ignore', 'pipe', 'pipe'] })
    expect((await ended(typescript)).stdout.split(/\r*\n/)).toEqual(['name', String.raw`"a\u001b[2J\u009b2J\u202eb"`, ''])
    server.closeAllConnections()
    server.close()
    await remove()
  },
)
