import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { parse } from 'node-html-parser'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { OpenApi } from '../../../src/http/openapi/index.ts'
import { credentialsOn, type Documented, operationsOf } from '../../http/openapi/openapi.ts'
import { service, type TestService } from '../../support.ts'

const PYTHON = process.env['PYTHON'] ?? '.venv/bin/python'
const answers = (program: string, ...args: readonly string[]): boolean => spawnSync(program, args).status === 0
const HAS = {
  curl: answers('curl', '--version'),
  python: answers('python3', '--version'),
  frames: answers(PYTHON, '-c', 'import pandas, pyarrow'),
  duckdb: answers(PYTHON, '-c', 'import duckdb, duckdb_extension_httpfs, pyarrow'),
  r: answers('Rscript', '--version'),
}

/** A documented operation with the code samples of its page, by language. */
interface Shown extends Documented {
  readonly samples: Readonly<Record<string, string>>
}

let s: TestService
let dir: string
let origin: string
let shown: readonly Shown[]
beforeAll(async () => {
  s = await service()
  dir = await mkdtemp(join(tmpdir(), 'twmd-samples-'))
  origin = await s.app.listen({ port: 0, host: '127.0.0.1' })
  const api: OpenApi = (await s.get('/openapi.json')).json()
  const read = async (documented: Documented): Promise<Shown> => {
    const group = documented.operation.tags[0].replaceAll('_', '-')
    const { body } = await s.get(`/docs/reference/${group}/${documented.operation.operationId}`)
    const root = parse(body, { blockTextElements: { script: true, style: true } })
    const samples = root.querySelectorAll('[data-sample]').map(details => {
      const code = details.querySelector('pre')!.textContent
      // The port of the test service is unknown until it listens, so the samples lack it.
      return [details.getAttribute('data-sample')!, code.replaceAll('http://127.0.0.1', origin)] as const
    })
    return { ...documented, samples: Object.fromEntries(samples) }
  }
  shown = await Promise.all(operationsOf(api).map(read))
})
afterAll(async () => {
  await s.close()
  await rm(dir, { recursive: true })
})

/** Environment variables with a credential of each kind, for the samples. */
function environment(): Record<string, string> {
  const { api_key, self_serve_token, service_token, admin_token, diagnostics_secret, diagnostics_probe } = credentialsOn(s)
  const bare = (headers: Readonly<Record<string, string>>): string => Object.values(headers)[0]!.replace('Bearer ', '')
  return {
    PATH: process.env['PATH']!,
    HOME: dir,
    TWMD_API_KEY: bare(api_key!),
    TWMD_SESSION: bare(self_serve_token!),
    TWMD_SERVICE_TOKEN: bare(service_token!),
    TWMD_ADMIN_TOKEN: bare(admin_token!),
    TWMD_DIAGNOSTICS_SECRET: bare(diagnostics_secret!),
    TWMD_DIAGNOSTICS_PROBE: bare(diagnostics_probe!),
  }
}

/** Runs a program without blocking the service, which is in this process. */
async function run(program: string, args: readonly string[], env: Record<string, string>, input = '') {
  const child = spawn(program.includes('/') ? resolve(program) : program, args, { cwd: dir, env })
  child.stdin.end(input)
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { status: child.exitCode, stdout, stderr }
}

/** Operations whose declared example succeeds. Those that end an account come last. */
const answerable = (): readonly Shown[] =>
  shown
    .filter(({ operation, samples }) => operation['x-example-request'] && samples['curl'])
    .toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'))

/** One operation per group, method and credential, because samples differ only in these. */
const ofEachKind = (): readonly Shown[] => [
  ...new Map(
    answerable()
      .filter(({ samples }) => !samples['excel'])
      .map(documented => [
        [documented.operation.tags[0], documented.method, JSON.stringify(documented.operation.security)].join(),
        documented,
      ]),
  ).values(),
]

const readsOf = (): readonly Shown[] => answerable().filter(({ samples }) => samples['excel'])

it('the reference has curl, Python, R and TypeScript samples for every operation, and DuckDB and Excel samples for reads', () => {
  const languages = new Map(shown.map(({ name, samples }) => [name, Object.keys(samples).join(' ')]))
  const without = [...languages].filter(([, names]) => names === '').map(([name]) => name)
  expect(without).toEqual(['GET /fact/{dataset}/{symbol}/{period}', 'POST /v2/billing/webhook'])
  expect(new Set(languages.values())).toEqual(
    new Set(['', 'curl python r typescript', 'curl python r typescript sql', 'curl python r typescript sql excel']),
  )
  expect(readsOf().length).toBeGreaterThan(30)
})

it.skipIf(!HAS.curl)('curl samples return 200 if the operation has an example, and never 405 or 5xx', { timeout: 180_000 }, async () => {
  const env = environment()
  const statuses: (readonly [string, number])[] = []
  for (const { name, samples } of [...answerable(), ...shown.filter(documented => !answerable().includes(documented))]) {
    if (!samples['curl']) continue
    const { stdout } = await run('sh', ['-c', `${samples['curl']} -w '\\n%{http_code}'`], env)
    statuses.push([name, Number(stdout.trim().split('\n').at(-1))])
  }
  const named = new Set(answerable().map(({ name }) => name))
  expect(statuses.filter(([name, status]) => named.has(name) && status !== 200)).toEqual([])
  // The test service has no payment provider, so it refuses a checkout by API key with 503.
  const failed = statuses.filter(([, status]) => status === 0 || status === 405 || status >= 500)
  expect(failed).toEqual([['POST /v2/billing/checkout-session', 503]])
  expect(named.size).toBeGreaterThan(80)
})

it('one TypeScript sample per group, method and credential runs unchanged', async () => {
  const env = environment()
  for (const { name, samples } of [...ofEachKind(), readsOf()[0]!]) {
    await writeFile(join(dir, 'sample.mts'), samples['typescript']!)
    const { status, stderr } = await run(process.execPath, ['sample.mts'], env)
    expect([name, status, stderr]).toEqual([name, 0, expect.not.stringContaining('Error')])
  }
})

it.skipIf(!HAS.python)('one Python sample per group, method and credential runs unchanged', async () => {
  const env = environment()
  for (const { name, samples } of ofEachKind()) {
    const { status, stderr } = await run('python3', ['-c', samples['python']!], env)
    expect([name, status, stderr]).toEqual([name, 0, ''])
  }
})
it.skipIf(!HAS.frames)('Python samples of reads create data frames', async () => {
  // Runs all samples in one process, because importing the libraries takes a second.
  const whole = readsOf().map(({ samples }) => `exec(${JSON.stringify(samples['python']!)}, {})`)
  const { status, stdout, stderr } = await run(PYTHON, ['-c', whole.join('\n')], environment())
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout.split('\n').length).toBeGreaterThan(2 * whole.length)
})

it.skipIf(!HAS.r)('R samples of every operation parse', async () => {
  await writeFile(join(dir, 'samples.R'), shown.map(({ samples }) => samples['r'] ?? '').join('\n'))
  const { stdout, stderr } = await run('Rscript', ['-e', 'invisible(parse("samples.R")); cat("parsed")'], environment())
  expect([stdout, stderr]).toEqual(['parsed', ''])
})

it.skipIf(!HAS.duckdb)('DuckDB samples of reads return rows for the price of one response', async () => {
  const env = environment()
  const reads = readsOf().map(({ samples }) =>
    samples['sql']!.replace(/^INSTALL.*\n/m, '').replace(/getenv\('(\w+)'\)/g, (_, variable) => `'${env[variable]}'`),
  )
  const program = `import duckdb, duckdb_extension_httpfs, json, pathlib, sys
file = next(pathlib.Path(duckdb_extension_httpfs.__file__).parent.rglob("*.duckdb_extension"))
for sql in json.load(sys.stdin):
    print(duckdb.execute(sql.replace("LOAD httpfs", f"LOAD '{file}'")).to_arrow_table().num_rows)`
  const left = async () => Number((await s.get('/v2/account/summary', env['TWMD_API_KEY'])).headers['x-credits-remaining'])
  const before = await left()
  const { status, stdout, stderr } = await run(PYTHON, ['-c', program], env, JSON.stringify(reads))
  expect([status, stderr, stdout.trim().split('\n').length]).toEqual([0, '', reads.length])
  const prices = readsOf().map(({ operation }) => operation['x-credits'] ?? 0)
  expect(before - (await left())).toBe(prices.reduce((sum, price) => sum + price, 0))
})

it('every Excel sample of a read sends a request that returns CSV', async () => {
  const env = environment()
  for (const { name, samples } of readsOf()) {
    const code = samples['excel']!
    const [, path] = /RelativePath = "([^"]+)"/.exec(code)!
    const [, query] = /Query = \[(.*)\]/.exec(code)!
    const sent = new URLSearchParams([...query!.matchAll(/#"([^"]+)" = "([^"]*)"/g)].map(([, name, value]) => [name!, value!]))
    const [, variable] = /Name = "(\w+)"/.exec(code)!
    const [, header, prefix = ''] = /Headers = \[#"([^"]+)" = (?:"([^"]+)" & )?Key\]/.exec(code)!
    const { statusCode, headers } = await s.get(`/${path}?${sent}`, undefined, { [header!]: prefix + env[variable!]! })
    expect([name, statusCode, headers['content-type']]).toEqual([name, 200, 'text/csv; charset=utf-8; header=present'])
  }
})
