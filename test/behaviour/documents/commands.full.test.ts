import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { delimiter, dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { loadCatalog } from '../../../catalog/index.ts'
import { freePort } from '../../fixtures/free-port.ts'
import { samples } from '../../fixtures/publish/samples.ts'
import { dataFolder } from '../../support.ts'
import { type Block, blocksOf, commandsOf, DOCUMENTS, inlineCodeOf, textOf } from './documents.ts'
import { writeInputs } from './inputs.ts'

const HERE = 'http://127.0.0.1:8080'
const python = spawnSync('python3', ['--version']).status === 0

/** A checkout with a demo service. The blocks of all documents run in it in order. */
let home: Awaited<ReturnType<typeof dataFolder>>
let demo: ChildProcess
let url: string
/** Output of the demo, including mail. */
let printed = ''
const hear = (text: Buffer): void => {
  printed += text
}
/** Ports of the servers that guides start, and the free ports that replace them. */
const ports = new Map([
  ['8090', ''],
  ['12111', ''],
])
const withPorts = (text: string): string => text.replaceAll(/(?<=127\.0\.0\.1:|\bPORT=)\d+\b/g, port => ports.get(port) ?? port)
/** Values that a reader would copy from one answer into the next command. */
const copied: Record<string, string> = {}

beforeAll(async () => {
  home = await dataFolder()
  for (const name of ['catalog', 'src', 'ingest', 'portal', 'docs', 'examples', 'test/fixtures/provider', 'package.json', 'tsconfig.json'])
    cpSync(name, join(home.dir, name), { recursive: true })
  symlinkSync(resolve('node_modules'), join(home.dir, 'node_modules'))
  await writeInputs(home.dir)
  // Copies the samples of other tests. `cli/demo.full.test.ts` tests how a demo creates samples.
  await cp(await samples(), join(home.dir, 'data'), { recursive: true })
  writeNpx()
  for (const port of ports.keys()) ports.set(port, String(await freePort()))
  demo = spawn('npm', ['run', 'demo'], {
    cwd: home.dir,
    env: { ...process.env, PORT: '0', DATA_DIR: './data' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  for (const stream of [demo.stdout!, demo.stderr!]) stream.on('data', hear)
  url = await vi.waitUntil(() => /twmd serves at (\S+)\./.exec(printed)?.[1], { timeout: 60_000, interval: 20 })
  // Waits for the samples, because readers run the commands after the samples exist.
  await vi.waitUntil(() => ask('/readyz').then(({ ok }) => ok), { timeout: 120_000, interval: 100 })
}, 200_000)
afterAll(async () => {
  process.kill(-demo.pid!, 'SIGTERM')
  // Stops processes that a failed block left running.
  for (const file of globSync(join(home.dir, 'payments-demo/*.pid'))) spawnSync('kill', [readFileSync(file, 'utf8').trim()])
  await home.remove()
})

/**
 * Writes a program that replaces `npx twmd` in the documents, because npx takes longer than the
 * command. `cli/process.full.test.ts` tests npx.
 */
function writeNpx(): void {
  const [file, npx] = [join(home.dir, 'bin/npx'), spawnSync('which', ['npx'], { encoding: 'utf8' }).stdout.trim()]
  mkdirSync(dirname(file))
  writeFileSync(file, `#!/bin/sh\nif [ "$1" = twmd ]; then shift; exec node src/run.mjs "$@"; fi\nexec ${npx} "$@"\n`)
  chmodSync(file, 0o755)
}

/** Maximum output of a command in bytes: the machine-readable descriptions have a megabyte each. */
const MOST_PRINTED = 16 * 2 ** 20

const run = (program: string, ...args: readonly string[]) =>
  spawnSync(program, args, {
    cwd: home.dir,
    encoding: 'utf8',
    maxBuffer: MOST_PRINTED,
    env: {
      ...process.env,
      PATH: `${join(home.dir, 'bin')}${delimiter}${process.env['PATH']}`,
      DATA_DIR: './data',
      TWMD_URL: url,
      ...copied,
    },
  })

/** Stores values of an answer for later commands, under the names that the documents use. */
function copyFrom(answer: string): void {
  for (const [name, key] of [
    ['FLOW_ID', 'flow_id'],
    ['SELF_SERVE_TOKEN', 'self_serve_token'],
    ['SESSION_ID', 'session_id'],
    ['WEBHOOK_ID', 'webhook_id'],
    ['PORTAL_URL', 'portal_url'],
  ] as const) {
    const [, value] = new RegExp(`"${key}":"([^"]+)"`).exec(answer) ?? []
    if (value) copied[name] = value
  }
}

async function paste(block: Block): Promise<void> {
  const text = withPorts(block.language === 'sh' ? commandsOf(block) : block.text).replaceAll(HERE, url)
  if (block.file) {
    mkdirSync(dirname(join(home.dir, block.file)), { recursive: true })
    return writeFileSync(join(home.dir, block.file), `${text}\n`)
  }
  if (text.includes('$CODE')) copied['CODE'] = await vi.waitUntil(() => /Your code is (\d{8})/.exec(printed)?.[1], { timeout: 10_000 })
  if (block.language === 'ts') writeFileSync(join(home.dir, 'read.ts'), text)
  const ran =
    block.language === 'sh' ? run('sh', '-ec', text) : block.language === 'python' ? run('python3', '-c', text) : run('node', 'read.ts')
  const title = titleOf(block)
  expect.soft([ran.status, ran.status === 0 ? '' : ran.stderr], `${title}: exit code and errors`).toEqual([0, ''])
  expect.soft(ran.stdout, `${title}: output`).not.toBe('')
  expect.soft(ran.stdout, `${title}: errors of the API`).not.toMatch(/(^|\})\{"detail":/m)
  copyFrom(ran.stdout)
}

const isRun = (block: Block): boolean => (block.language === 'sh' && commandsOf(block) !== '') || ['python', 'ts'].includes(block.language)
const titleOf = ({ document, line, language, file, text }: Block): string =>
  `${document}:${line} ${language} ${file ?? text.split('\n').find(Boolean)}`
const RUN = DOCUMENTS.filter(document => blocksOf(document).some(isRun))

it.each(RUN)(
  'the code blocks of %s run in order, and the answers have the shape that the document shows',
  { timeout: 600_000 },
  async document => {
    const before = { ...copied }
    for (const block of blocksOf(document).filter(isRun)) {
      // Without Python, only blocks that need Python are skipped.
      if ((block.language === 'python' || /^python3 /m.test(block.text)) && !python)
        console.log(`${document}: python3 is absent, so its Python is not run`)
      else await paste(block)
    }
    const { keys } = JSON.parse(run('cat', 'data/demo.json').stdout)
    const reads = textOf(document).match(/(?<=http:\/\/127\.0\.0\.1:8080)\/v(2\/datasets\/[a-z-]+|1\/[a-z/-]+)\?[\w=&,-]+/g) ?? []
    for (const path of new Set(reads)) {
      const { headers } = await ask(path, { 'x-api-key': keys.max })
      expect.soft(headers.get('x-row-count'), `${document}: rows of ${path}`).not.toBe('0')
    }
    for (const [, path, text] of textOf(document).matchAll(/<!-- answer: (\S+) -->\s+```json\n([\s\S]*?)```/g)) {
      const response = await ask(path!, { 'x-api-key': keys.pro })
      expect.soft(shapeOf(await response.json()), `${document}: shape of ${path}`).toEqual(shapeOf(JSON.parse(text!)))
    }
    // If a document used another service, the values copied from it are dropped, because the next
    // documents read the demo.
    if (!textOf(document).includes(HERE)) Object.assign(copied, before)
  },
)

/**
 * Sends each request over a new connection. While a command runs, this process would not notice
 * that the service closes an idle connection.
 */
const ask = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(`${url}${path}`, { headers: { ...headers, connection: 'close' } })

/** Names and types of a JSON value. For an array, those of its first entry. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])]
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, endpoint]) => [name, shapeOf(endpoint)]),
  )
}

/**
 * Documents in which texts with a leading slash are not paths of the API, but file system paths or
 * groups of endpoints.
 */
const OTHER_SLASHES = ['docs/deploy/README.md', 'docs/moving.md', 'CHANGELOG.md']

it('every URL in the documents answers 200', async () => {
  const addresses = new Set(
    DOCUMENTS.flatMap(document => [...textOf(document).matchAll(/<http:\/\/127\.0\.0\.1:8080([^>]*)>/g)].map(([, path]) => path!)),
  )
  expect(addresses.size).toBeGreaterThan(2)
  for (const path of addresses) expect([path, (await ask(path)).status]).toEqual([path, 200])
})
it('every path that the documents name is an endpoint or a page', async () => {
  const { paths } = (await (await ask('/openapi.json')).json()) as { paths: Record<string, Record<string, unknown>> }
  const isEndpoint = (method: string, path: string): boolean =>
    Object.entries(paths).some(([template, methods]) => {
      const pattern = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')
      return new RegExp(`^${pattern}$`).test(path) && method in methods
    })
  const named = DOCUMENTS.filter(document => !OTHER_SLASHES.includes(document))
    .flatMap(inlineCodeOf)
    .flatMap(code => {
      const [, method = 'GET', path] = /^(?:(GET|POST|DELETE) )?(\/[a-z][\w/{}.-]*)(?:\?.*)?$/.exec(code) ?? []
      return path ? [{ method: method.toLowerCase(), path }] : []
    })
  expect(named.length).toBeGreaterThan(40)
  const anyMethod = ({ method, path }: { method: string; path: string }) => isEndpoint(method, path) || isEndpoint('post', path)
  const isPage = async (path: string): Promise<boolean> => (await ask(path)).status === 200
  const unknown = []
  for (const endpoint of named)
    if (!anyMethod(endpoint) && !(await isPage(endpoint.path))) unknown.push(`${endpoint.method} ${endpoint.path}`)
  expect(unknown).toEqual([])
})
it('every twmd command that the documents name exists', () => {
  const [, listed = ''] = /Commands:\n([\s\S]*)/.exec(run('npx', 'twmd', '--help').stdout) ?? []
  const commands = [...listed.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name!)
  const named = DOCUMENTS.flatMap(document => [...textOf(document).matchAll(/(?<![\w/])twmd ([a-z]+)\b/g)].map(([, name]) => name!))
  // Only names in code are commands. In prose, "twmd serves" is a sentence.
  const asCode = named.filter(name => DOCUMENTS.some(document => inlineCodeOf(document).some(code => code.includes(`twmd ${name}`))))
  expect([...new Set(asCode)].filter(name => !commands.includes(name))).toEqual([])
})
it('the TypeScript files of the documents compile', async () => {
  const written = DOCUMENTS.flatMap(blocksOf).filter(({ file }) => file?.endsWith('.ts'))
  for (const block of written) await paste(block)
  const config = { extends: './tsconfig.json', include: written.map(({ file }) => file) }
  writeFileSync(join(home.dir, 'tsconfig.documents.json'), JSON.stringify(config))
  const { status, stdout } = run('node', 'node_modules/typescript-native/bin/tsc', '--noEmit', '-p', 'tsconfig.documents.json')
  expect([status, stdout]).toEqual([0, ''])
})

it('the dataset and the feed that the guides add do not exist yet', async () => {
  expect((await loadCatalog()).has('dividend-history')).toBe(false)
})
