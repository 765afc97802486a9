import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { loadCatalog } from '../../../catalog/index.ts'
import { freePort } from '../../fixtures/free-port.ts'
import { dataFolder } from '../../support.ts'
import { type Block, blocksOf, commandsOf, DOCUMENTS, inlineCodeOf, textOf } from './documents.ts'
import { writeInputs } from './inputs.ts'

const HERE = 'http://127.0.0.1:8080'
const python = spawnSync('python3', ['--version']).status === 0

/** A checkout of its own with a demo serving from it; documents are pasted into it one after the other. */
let home: Awaited<ReturnType<typeof dataFolder>>
let demo: ChildProcess
let url: string
/** Everything the demo printed, mail included. */
let printed = ''
const hear = (text: Buffer): void => {
  printed += text
}
/** Ports that guides start servers of their own on, and those taken in their place: several runs may share the machine. */
const ports = new Map([
  ['8090', ''],
  ['12111', ''],
])
const withPorts = (text: string): string => text.replaceAll(/(?<=127\.0\.0\.1:|\bPORT=)\d+\b/g, port => ports.get(port) ?? port)
/** What a reader copies from one answer into the next command. */
const copied: Record<string, string> = {}

beforeAll(async () => {
  home = await dataFolder()
  for (const name of ['catalog', 'src', 'ingest', 'docs', 'examples', 'test/fixtures/provider', 'package.json', 'tsconfig.json'])
    cpSync(name, join(home.dir, name), { recursive: true })
  symlinkSync(resolve('node_modules'), join(home.dir, 'node_modules'))
  await writeInputs(home.dir)
  for (const port of ports.keys()) ports.set(port, String(await freePort()))
  demo = spawn('npm', ['run', 'demo'], {
    cwd: home.dir,
    env: { ...process.env, PORT: '0', DATA_DIR: './data' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  for (const stream of [demo.stdout!, demo.stderr!]) stream.on('data', hear)
  url = await vi.waitUntil(() => /twmd serves at (\S+)\./.exec(printed)?.[1], { timeout: 60_000, interval: 20 })
  // A reader pastes once the samples are made.
  await vi.waitUntil(() => ask('/readyz').then(({ ok }) => ok), { timeout: 120_000, interval: 100 })
}, 200_000)
afterAll(async () => {
  process.kill(-demo.pid!, 'SIGTERM')
  // What a block started and a failure kept from being stopped.
  for (const file of globSync(join(home.dir, 'payments-demo/*.pid'))) spawnSync('kill', [readFileSync(file, 'utf8').trim()])
  await home.remove()
})

/** Bytes a command may print: the descriptions for programs are a megabyte each. */
const MOST_PRINTED = 16 * 2 ** 20

const run = (program: string, ...args: readonly string[]) =>
  spawnSync(program, args, {
    cwd: home.dir,
    encoding: 'utf8',
    maxBuffer: MOST_PRINTED,
    env: { ...process.env, DATA_DIR: './data', TWMD_URL: url, ...copied },
  })

/** Keeps what an answer gave for a later command to use, under the names the documents use. */
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
  expect([ran.status, ran.stderr]).toEqual([0, ran.status === 0 ? ran.stderr : ''])
  expect(ran.stdout).not.toBe('')
  expect(ran.stdout).not.toMatch(/(^|\})\{"detail":/m)
  copyFrom(ran.stdout)
}

const isRun = (block: Block): boolean => (block.language === 'sh' && commandsOf(block) !== '') || ['python', 'ts'].includes(block.language)
const titleOf = ({ line, language, file, text }: Block): string => `line ${line}, ${language}: ${file ?? text.split('\n').find(Boolean)}`

describe.each(DOCUMENTS.filter(document => blocksOf(document).some(isRun)))('%s, pasted in order', document => {
  const before: Record<string, string> = {}
  beforeAll(() => void Object.assign(before, copied))
  // What services of a document's own gave is unknown to the demo, which the documents after it read.
  if (!textOf(document).includes(HERE)) afterAll(() => void Object.assign(copied, before))
  // A machine without Python skips the Python blocks; everything else in the documents is still run.
  it.each(
    blocksOf(document)
      .filter(isRun)
      .map(block => ({ block, title: titleOf(block) })),
  )('$title', async ({ block }) => {
    if ((block.language === 'python' || /^python3 /m.test(block.text)) && !python)
      return console.log(`${document}: python3 is absent, so its Python is not run`)
    await paste(block)
  })
  const reads = textOf(document).match(/(?<=http:\/\/127\.0\.0\.1:8080)\/v(2\/datasets\/[a-z-]+|1\/[a-z/-]+)\?[\w=&,-]+/g) ?? []
  if (reads.length > 0)
    it('reads what has rows', async () => {
      const { keys } = JSON.parse(run('cat', 'data/demo.json').stdout)
      for (const path of new Set(reads)) {
        const { headers } = await ask(path, { 'x-api-key': keys.max })
        expect([path, headers.get('x-row-count')]).not.toEqual([path, '0'])
      }
    })
  const shown = [...textOf(document).matchAll(/<!-- answer: (\S+) -->\s+```json\n([\s\S]*?)```/g)]
  if (shown.length > 0)
    it('shows answers of the shape that the service gives', async () => {
      const { keys } = JSON.parse(run('cat', 'data/demo.json').stdout)
      for (const [, path, text] of shown) {
        const response = await ask(path!, { 'x-api-key': keys.pro })
        expect([path, shapeOf(await response.json())]).toEqual([path, shapeOf(JSON.parse(text!))])
      }
    })
})

/** One request on a connection of its own: while a command runs, this process does not notice that the service closes an idle one. */
const ask = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(`${url}${path}`, { headers: { ...headers, connection: 'close' } })

/** Names and kinds of a JSON value: of an array, those of its first entry. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])]
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, one]) => [name, shapeOf(one)]),
  )
}

/** Documents that name other things which begin with a slash: paths of a file system, whole families of endpoints. */
const OTHER_SLASHES = ['docs/deploy/README.md', 'CHANGELOG.md']

describe('what the documents name', () => {
  it('answers at every address', async () => {
    const addresses = new Set(
      DOCUMENTS.flatMap(document => [...textOf(document).matchAll(/<http:\/\/127\.0\.0\.1:8080([^>]*)>/g)].map(([, path]) => path!)),
    )
    expect(addresses.size).toBeGreaterThan(2)
    for (const path of addresses) expect([path, (await ask(path)).status]).toEqual([path, 200])
  })
  it('is an endpoint or a page of the service where it is a path of one', async () => {
    const { paths } = (await (await ask('/openapi.json')).json()) as { paths: Record<string, Record<string, unknown>> }
    const known = (method: string, path: string): boolean =>
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
    const anyMethod = ({ method, path }: { method: string; path: string }) => known(method, path) || known('post', path)
    const isPage = async (path: string): Promise<boolean> => (await ask(path)).status === 200
    const unknown = []
    for (const one of named) if (!anyMethod(one) && !(await isPage(one.path))) unknown.push(`${one.method} ${one.path}`)
    expect(unknown).toEqual([])
  })
  it('is a command of twmd', () => {
    const [, listed = ''] = /Commands:\n([\s\S]*)/.exec(run('npx', 'twmd', '--help').stdout) ?? []
    const commands = [...listed.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name!)
    const named = DOCUMENTS.flatMap(document => [...textOf(document).matchAll(/(?<![\w/])twmd ([a-z]+)\b/g)].map(([, name]) => name!))
    // "twmd serves" and the like are sentences; a command is set as code.
    const asCode = named.filter(name => DOCUMENTS.some(document => inlineCodeOf(document).some(code => code.includes(`twmd ${name}`))))
    expect([...new Set(asCode)].filter(name => !commands.includes(name))).toEqual([])
  })
  it('compiles against the types of the catalog and the feeds', async () => {
    const written = DOCUMENTS.flatMap(blocksOf).filter(({ file }) => file?.endsWith('.ts'))
    for (const block of written) await paste(block)
    const config = { extends: './tsconfig.json', include: written.map(({ file }) => file) }
    writeFileSync(join(home.dir, 'tsconfig.documents.json'), JSON.stringify(config))
    const { status, stdout } = run('node', 'node_modules/typescript-native/bin/tsc', '--noEmit', '-p', 'tsconfig.documents.json')
    expect([status, stdout]).toEqual([0, ''])
  })
})

it('adds a dataset and a feed that are not there yet', async () => {
  expect((await loadCatalog()).has('dividend-history')).toBe(false)
})
