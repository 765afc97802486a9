import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { loadCatalog, type Row } from '../../../catalog/index.ts'
import { runTwmd } from '../../fixtures/cli/in-process.ts'
import { type Serving, serving } from '../../fixtures/cli/twmd.ts'
import { accountsOf, type Folder, preparedFolder } from '../../state/folder.ts'
import { openTestWorkspace, publishRows, SECRETS } from '../../support.ts'

const ROWS = 10_000
const READS = 4
const LONG = `/v2/datasets/theme-taxonomy?limit=${ROWS}`

let folder: Folder
beforeAll(async () => {
  folder = await preparedFolder(4)
  const themes = (await loadCatalog()).get('theme-taxonomy')!
  const [entry] = themes.example as readonly Row[]
  const workspace = await openTestWorkspace(folder.dir)
  await publishRows(
    workspace,
    folder.dir,
    themes,
    Array.from({ length: ROWS }, (_, index) => ({ ...entry, symbol: String(10_000 + index) })),
  )
  workspace.close()
})
afterAll(() => folder.remove())

interface Answer {
  readonly status: number
  readonly id: string
  readonly rows: string | undefined
  readonly body: unknown
}

/**
 * Sends a request with `Expect: 100-continue`.
 * @returns the interim response and the whole response
 */
function ask(url: string, key: string): { readonly accepted: Promise<unknown>; readonly answer: Promise<Answer> } {
  const request = get(url, { headers: { 'x-api-key': key, expect: '100-continue' } })
  const read = async (): Promise<Answer> => {
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    let text = ''
    for await (const bytes of response) text += bytes
    const { 'x-request-id': id, 'x-row-count': rows } = response.headers as Readonly<Record<string, string>>
    return { status: response.statusCode!, id: id!, rows, body: JSON.parse(text) }
  }
  return { accepted: once(request, 'continue').catch(() => {}), answer: read() }
}

/** The body of the request below. The request fails with 422, because the address is invalid. */
const OWED = '{"email":"no address"}'

/** Sends a request without its body, for which the service then waits. */
async function unfinished({ url }: Serving): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const head = [
    'POST /v2/self-serve/onboarding/start HTTP/1.1',
    'Host: x',
    'Content-Type: application/json',
    `Content-Length: ${OWED.length}`,
  ]
  socket.write(`${head.join('\r\n')}\r\nExpect: 100-continue\r\n\r\n`)
  const [sign] = await once(socket, 'data')
  expect(String(sign)).toMatch(/^HTTP\/1\.1 100 /)
  // Later errors of this socket do not matter for the test.
  socket.on('error', () => {})
  return socket
}

const running: Serving[] = []
async function serve(env: Readonly<Record<string, string>> = {}): Promise<Serving> {
  const service = await serving(folder.dir, 'serve', { ...SECRETS, ...env })
  running.push(service)
  return service
}
afterEach(async () => {
  for (const { child } of running.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
})

const ended = ({ child }: Serving) => once(child, 'exit')
/** The metrics of the service. */
const metricsOf = async ({ output }: Serving): Promise<string> => (await fetch(/"metrics":"([^"]+)"/.exec(output())![1]!)).text()
const logged = (service: Serving, event: string) => service.waitFor(`"event":"${event}"`)

it('R1: a stopping service answers and records every running read and exits with 0', async () => {
  const service = await serve()
  const before = folder.inspect(accountsOf).ledger
  const end = ended(service)
  const reads = Array.from({ length: READS }, (_, index) => ask(`${service.url}${LONG}`, folder.keys[index % 4]!))
  await Promise.all(reads.map(({ accepted }) => accepted))
  service.child.kill('SIGTERM')
  const answers = await Promise.all(reads.map(({ answer }) => answer))
  expect(answers.map(({ status }) => status)).toEqual(Array(READS).fill(200))
  for (const { rows } of answers) expect(rows).toBe(String(ROWS))
  expect(await end).toEqual([0, null])
  expect(service.output()).toMatch(/"event":"stopping".*\n(.*\n)*.*"event":"stopped"/)
  const { ledger, ...books } = folder.inspect(accountsOf)
  expect([ledger - before, books]).toEqual([READS, expect.objectContaining({ check: 'ok', daily: ledger, period: ledger })])
  const ids = new Set(folder.inspect(db => db.prepare<[], string>('SELECT request_id FROM usage_ledger').pluck().all()))
  expect(answers.filter(({ id }) => !ids.has(id))).toEqual([])
})

it('R1: a stopping service finishes started requests, refuses new ones, and is not ready on /readyz and /health', async () => {
  const service = await serve()
  const [open, read] = [await unfinished(service), `${service.url}${LONG}`]
  let received = ''
  open.on('data', bytes => {
    received += bytes
  })
  const end = ended(service)
  service.child.kill('SIGTERM')
  await logged(service, 'stopping')
  expect(await ask(`${service.url}/readyz`, '').answer).toMatchObject({ status: 503, body: { checks: { draining: 'stopping' } } })
  const health = { status: 'not_ready', process: 'ok', checks: { draining: 'stopping' } }
  expect(await ask(`${service.url}/health`, '').answer).toMatchObject({ status: 200, body: health })
  expect((await ask(`${service.url}/healthz`, '').answer).status).toBe(200)
  expect(await ask(read, folder.keys[0]!).answer).toMatchObject({ status: 503, body: { error: { error_code: 'draining' } } })
  open.write(OWED)
  await once(open, 'close')
  expect(received).toMatch(/^HTTP\/1\.1 422 /)
  expect(await end).toEqual([0, null])
})

it('R1: a stopping service sends its delayed refusals immediately', async () => {
  const service = await serve({ METRICS_PORT: '0' })
  const statuses: string[] = []
  const flood = Array.from({ length: 200 }, async () => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    socket.write('GET /v2/nothing HTTP/1.1\r\nHost: x\r\n\r\n')
    const [answer] = await once(socket, 'data')
    statuses.push(String(answer).slice(9, 12))
  })
  const refused = async () => Number(/^twmd_refusals_total\{code="unknown_path"\} (\d+)$/m.exec(await metricsOf(service))?.[1])
  await expect.poll(refused).toBe(200)
  const end = ended(service)
  service.child.kill('SIGTERM')
  await Promise.all(flood)
  expect(statuses).toEqual(Array(200).fill('404'))
  expect(await end).toEqual([0, null])
})

it('R1: a stopping service does not wait for unfinished headers', async () => {
  const service = await serve()
  const open = connect(Number(new URL(service.url).port), '127.0.0.1')
  open.on('error', () => {})
  open.write('GET /readyz HTTP/1.1\r\nHost: x\r\n')
  expect((await ask(`${service.url}/healthz`, '').answer).status).toBe(200)
  const end = ended(service)
  service.child.kill('SIGTERM')
  expect(await end).toEqual([0, null])
})

it('R1: a service stopped right after its start exits with 0', async () => {
  const service = await serve()
  const end = ended(service)
  service.child.kill('SIGTERM')
  expect(await end).toEqual([0, null])
  expect(service.output()).toContain('"event":"stopped"')
})

it.each(['SIGTERM', 'SIGINT'] as const)('R1: a second %s exits immediately with 1', async signal => {
  const service = await serve()
  const open = await unfinished(service)
  const end = ended(service)
  service.child.kill(signal)
  await logged(service, 'stopping')
  service.child.kill(signal)
  expect(await end).toEqual([1, null])
  open.destroy()
  expect(service.output()).not.toContain('"event":"stopped"')
  expect((await runTwmd(folder.dir, ['doctor'], SECRETS)).code).toBe(0)
})

it('a second service on a state file does not start and names the process that uses the file', async () => {
  const service = await serve()
  const { code, stderr } = await folder.run(['serve'], { PORT: '0' })
  expect([code === 0, stderr.trim()]).toEqual([
    false,
    `${join(folder.dir, 'state.sqlite')} is in use by process ${service.child.pid}. Stop it first.`,
  ])
  expect((await ask(`${service.url}/readyz`, '').answer).status).toBe(200)
  expect(await service.stop()).toBe(0)
  const next = await serve()
  expect(await next.stop()).toBe(0)
})
