import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ended } from '../fixtures/cli/twmd.ts'
import { dataFolder, service, type TestService } from '../support.ts'

const CACHE = resolve('node_modules/.cache/twmd-generators')
const PYTHON = process.env['PYTHON3'] ?? 'python3'
const JAVA = process.env['JAVA'] ?? 'java'
const JAR = {
  url: 'https://repo1.maven.org/maven2/org/openapitools/openapi-generator-cli/7.25.0/openapi-generator-cli-7.25.0.jar',
  sha256: '41ce4f6b07f196676439d710759fa1ced7a08066d06ff1bf314681470289efae',
}
/** openapi-python-client, and the libraries that clients of openapi-generator import. */
const PYTHON_PACKAGES = [
  'openapi-python-client==0.29.1',
  'pydantic==2.14.4',
  'urllib3==2.8.0',
  'python-dateutil==2.9.0.post0',
  'typing-extensions==4.16.0',
]
const NPM_PACKAGES = ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5.9.3']

const run = (program: string, args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}) =>
  ended(spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } })).catch((error: unknown) => ({
    code: null,
    stdout: '',
    stderr: String(error),
  }))

/** Runs a program. @throws Error with its output if it fails */
async function output(program: string, args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { code, stdout, stderr } = await run(program, args, cwd, env)
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}: ${(stdout + stderr).slice(-4_000)}`)
  return stdout
}

/** A folder that `fill` makes once for a list of versions; null if a tool or registry is absent. */
async function installed(versions: readonly string[], fill: (folder: string) => Promise<boolean>): Promise<string | null> {
  const folder = join(CACHE, createHash('sha256').update(versions.join()).digest('hex').slice(0, 16))
  const mark = join(folder, 'complete')
  if (existsSync(mark)) return folder
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  if (!(await fill(folder))) return null
  await writeFile(mark, '')
  return folder
}

const jar = await installed([JAR.sha256], async folder => {
  if ((await run(JAVA, ['-version'], folder)).code !== 0) return false
  const response = await fetch(JAR.url).catch(() => null)
  if (!response?.ok) return false
  const bytes = Buffer.from(await response.arrayBuffer())
  if (createHash('sha256').update(bytes).digest('hex') !== JAR.sha256) throw new Error(`${JAR.url} has another sha256`)
  await writeFile(join(folder, 'part'), bytes)
  await rename(join(folder, 'part'), join(folder, 'generator.jar'))
  return true
})
const python = await installed([PYTHON, ...PYTHON_PACKAGES], async folder => {
  if ((await run(PYTHON, ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))'], folder)).code !== 0) return false
  if ((await run(PYTHON, ['-m', 'venv', 'venv'], folder)).code !== 0) return false
  return (await run(join(folder, 'venv/bin/python'), ['-m', 'pip', 'install', '-q', ...PYTHON_PACKAGES], folder)).code === 0
})
const npm = await installed(NPM_PACKAGES, async folder => {
  await writeFile(join(folder, 'package.json'), '{"type":"module","private":true}')
  return (await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', ...NPM_PACKAGES], folder)).code === 0
})

const SLUG = 'institutional-positioning'
const REQUEST = `/v2/datasets/${SLUG}?symbol=2330&limit=5`

let s: TestService
let dir = ''
let remove = async (): Promise<void> => {}
let env: Readonly<Record<string, string>>
/** The output that each client must print. */
let expected: unknown
beforeAll(async () => {
  ;({ dir, remove } = await dataFolder())
  s = await service()
  const url = await s.app.listen({ port: 0, host: '127.0.0.1' })
  const key = s.keyOn('max', 'generators@example.test')
  env = { TWMD_URL: url, TWMD_API_KEY: key, PYTHONDONTWRITEBYTECODE: '1' }
  await writeFile(join(dir, 'openapi.json'), (await s.get('/openapi.json')).body)
  const [newest] = (await s.get(REQUEST, key)).json().data
  const { data_count } = (await s.get('/v2/datasets')).json()
  const { credits } = (await s.get(`${REQUEST}&dry_run=true`, key)).json()
  const firms = (await s.get('/v2/datasets/securities-firm-master?limit=1', key)).json().data
  expected = {
    day: newest.trade_date,
    net: newest.foreign_net_buy,
    datasets: data_count,
    credits,
    items: firms[0].business_items,
  }
}, 120_000)
afterAll(async () => {
  await s.close()
  await remove()
})

const lacks = (what: string): string => `(skipped without ${what})`

describe.skipIf(jar === null || python === null)(`openapi-generator ${lacks(`${JAVA}, ${PYTHON} 3.11, Maven Central or PyPI`)}`, () => {
  it('a Python client of openapi-generator returns typed answers', async () => {
    const args = ['-jar', join(jar!, 'generator.jar'), 'generate', '-g', 'python', '-i', 'openapi.json', '-o', 'generated']
    await output(JAVA, [...args, '--package-name', 'generated_client'], dir)
    await writeFile(
      join(dir, 'generated.py'),
      `import json, os
import generated_client as twmd

configuration = twmd.Configuration(host=os.environ["TWMD_URL"], api_key={"api_key": os.environ["TWMD_API_KEY"]})
with twmd.ApiClient(configuration) as client:
    datasets = twmd.DatasetsApi(client)
    catalog = twmd.CatalogApi(client)
    read = datasets.get_v2_datasets_institutional_positioning(symbol="2330", limit=5)
    newest = read.data[0]
    assert isinstance(newest, twmd.InstitutionalPositioningRow)
    # Methods decode the first media type of a status, so a dry run is decoded separately.
    body = datasets.get_v2_datasets_institutional_positioning_without_preload_content(symbol="2330", limit=5, dry_run=True)
    dry = twmd.DryRun.from_json(body.data.decode())
    firms = datasets.get_v2_datasets_securities_firm_master(limit=1)
    print(json.dumps({
        "day": newest.trade_date.isoformat(),
        "net": newest.foreign_net_buy,
        "datasets": catalog.get_v2_datasets().data_count,
        "credits": dry.credits,
        "items": firms.data[0].business_items,
    }, ensure_ascii=False))
`,
    )
    const printed = await output(join(python!, 'venv/bin/python'), ['generated.py'], dir, { ...env, PYTHONPATH: join(dir, 'generated') })
    expect(JSON.parse(printed)).toEqual(expected)
  }, 600_000)
})

describe.skipIf(python === null)(`openapi-python-client ${lacks(`${PYTHON} 3.11 or PyPI`)}`, () => {
  it('a client of openapi-python-client returns typed answers, and the generator reads everything except downloads and field queries', async () => {
    const bin = join(python!, 'venv/bin')
    const args = ['generate', '--path', 'openapi.json', '--output-path', 'attrs', '--meta', 'none', '--overwrite']
    const { code, stdout, stderr } = await run(join(bin, 'openapi-python-client'), args, dir, { PATH: `${bin}:${process.env['PATH']}` })
    // The generator has no types for Parquet and NDJSON, and one name for entity_ids and
    // entity_ids[].
    const warnings = (stdout + stderr).split(/^(?=WARNING|ERROR|Unable)/mu).slice(1)
    expect([
      code,
      warnings.filter(
        text => !/Unsupported content_type application\/(vnd\.apache\.parquet|x-ndjson)\)|same Python identifier entity_ids/u.test(text),
      ),
    ]).toEqual([0, []])
    await writeFile(
      join(dir, 'with_attrs.py'),
      `import json, os
from attrs_client import AuthenticatedClient
from attrs_client.api.catalog import get_v2_datasets
from attrs_client.api.datasets import get_v2_datasets_institutional_positioning as read
from attrs_client.api.datasets import get_v2_datasets_securities_firm_master as firms
from attrs_client.models import DryRun, InstitutionalPositioningRow

client = AuthenticatedClient(os.environ["TWMD_URL"], os.environ["TWMD_API_KEY"], prefix="", auth_header_name="X-API-Key")
newest = read.sync(client=client, symbol="2330", limit=5).data[0]
assert isinstance(newest, InstitutionalPositioningRow)
# Functions decode the first media type of a status, so a dry run is decoded separately.
body = client.get_httpx_client().request(**read._get_kwargs(symbol="2330", limit=5, dry_run=True))
dry = DryRun.from_dict(body.json())
print(json.dumps({
    "day": newest.trade_date.isoformat(),
    "net": newest.foreign_net_buy,
    "datasets": get_v2_datasets.sync(client=client).data_count,
    "credits": dry.credits_,
    "items": firms.sync(client=client, limit=1).data[0].business_items,
}, ensure_ascii=False))
`,
    )
    await rename(join(dir, 'attrs'), join(dir, 'attrs_client'))
    expect(JSON.parse(await output(join(bin, 'python'), ['with_attrs.py'], dir, env))).toEqual(expected)
  }, 600_000)
})

describe.skipIf(npm === null)(`openapi-typescript ${lacks('npm or its registry')}`, () => {
  it('types of openapi-typescript compile in strict mode, and openapi-fetch returns typed answers', async () => {
    await symlink(join(npm!, 'node_modules'), join(dir, 'node_modules'))
    await writeFile(join(dir, 'package.json'), '{"type":"module","private":true}')
    const bin = join(npm!, 'node_modules/.bin')
    await output(join(bin, 'openapi-typescript'), ['openapi.json', '--output', 'schema.ts'], dir)
    await writeFile(
      join(dir, 'typed.ts'),
      `import createClient from 'openapi-fetch'
import type { components, paths } from './schema.ts'

declare const process: { readonly env: Readonly<Record<string, string>> }
const options = { baseUrl: process.env['TWMD_URL']!, headers: { 'X-API-Key': process.env['TWMD_API_KEY']! } }
const client = createClient<paths, 'application/json'>(options)
const dryClient = createClient<paths, 'application/vnd.twmd.dry-run+json'>(options)
const query = { symbol: '2330', limit: 5 }
const read = await client.GET('/v2/datasets/institutional-positioning', { params: { query } })
const newest: components['schemas']['institutional_positioning_row'] = read.data!.data[0]!
const dry = await dryClient.GET('/v2/datasets/institutional-positioning', { params: { query: { ...query, dry_run: true } } })
const credits: number = dry.data!.credits
const list = await client.GET('/v2/datasets')
const datasets: number = list.data!.data_count
const firms = await client.GET('/v2/datasets/securities-firm-master', { params: { query: { limit: 1 } } })
// @ts-expect-error The document names the datasets by slug.
export const wrong = () => client.GET('/v2/account/usage-summary', { params: { query: { dataset: 'no-such' } } })
console.log(
  JSON.stringify({ day: newest.trade_date, net: newest.foreign_net_buy, datasets, credits, items: firms.data!.data[0]!.business_items }),
)
`,
    )
    const options = ['--strict', '--noEmit', '--target', 'ES2022', '--module', 'NodeNext', '--lib', 'ES2023,DOM,DOM.Iterable']
    await output(join(bin, 'tsc'), [...options, '--allowImportingTsExtensions', '--skipLibCheck', 'typed.ts'], dir)
    expect(JSON.parse(await output(process.execPath, ['--disable-warning=ExperimentalWarning', 'typed.ts'], dir, env))).toEqual(expected)
  }, 600_000)
})
