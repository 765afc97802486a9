import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'

/** Folder → folders it may import. Read top to bottom: a line only names lines above it. */
const FLOORS: Readonly<Record<string, readonly string[]>> = {
  catalog: [],
  'src/core': ['catalog'],
  'src/query': ['catalog', 'src/core'],
  'src/accounts': ['catalog', 'src/core'],
  'src/gate.ts': ['catalog', 'src/core', 'src/accounts'],
  'src/http': ['catalog', 'src/core', 'src/query', 'src/accounts', 'src/gate.ts'],
  'src/web': [],
  'src/app.ts': ['catalog', 'src/core', 'src/query', 'src/accounts', 'src/gate.ts', 'src/http'],
  'src/server.ts': ['catalog', 'src/core', 'src/query', 'src/accounts', 'src/gate.ts', 'src/http', 'src/app.ts'],
  ingest: ['catalog', 'src/core', 'src/query'],
  'src/commands': ['catalog', 'src/core', 'src/query', 'src/accounts', 'src/server.ts', 'ingest'],
  'src/cli.ts': ['src/commands'],
}

/** Package → where it may be imported; types excepted. */
const OWNERS: Readonly<Record<string, string>> = {
  '@duckdb/node-api': 'src/query/duck.ts',
  'better-sqlite3': 'src/accounts/db.ts',
  'cli-progress': 'src/commands/ingest.ts',
  commander: 'src/commands/program.ts',
  'csv-parse/sync': 'ingest/body/csv.ts',
  'fastest-levenshtein': 'src/core/nearest.ts',
  fastify: 'src/app.ts',
  'iconv-lite': 'ingest/body/text.ts',
  'lru-cache': 'src/core/gcra.ts',
  minisearch: 'src/query/search/words.ts',
  nodemailer: 'src/accounts/mail/transport.ts',
  'node-html-parser': 'ingest/body/html.ts',
  pino: 'src/core/log.ts',
  stripe: 'src/accounts/billing/stripe.ts',
}
/** Packages each floor may import beside those with an owner. */
const SHARED: Readonly<Record<string, readonly string[]>> = { catalog: ['zod'], 'src/core': ['zod'], 'src/http': ['zod'] }

const floorOf = (file: string): string | undefined => Object.keys(FLOORS).find(floor => file === floor || file.startsWith(`${floor}/`))
const under = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => join(folder, name))

interface Import {
  readonly target: string
  readonly typeOnly: boolean
}

function importsOf(file: string): readonly Import[] {
  const source = readFileSync(file, 'utf8')
  const found = source.matchAll(/^(?:import|export)\s+(type\s)?(?:[^'";]*?from\s+)?'([^']+)'|import\('([^']+)'\)/gms)
  return [...found].map(match => ({ target: match[2] ?? match[3]!, typeOnly: match[1] !== undefined }))
}

const files = ['catalog', 'src', 'ingest'].flatMap(under)
const everything = [...files, ...under('test'), ...under('bench')]
const lines = (file: string): number => readFileSync(file, 'utf8').trimEnd().split('\n').length

describe.each(files)('%s', file => {
  const imports = importsOf(file)
  it('stands on a floor and imports only from floors below it', () => {
    const floor = floorOf(file)
    expect(floor).toBeDefined()
    const upward = imports
      .filter(({ target }) => target.startsWith('.'))
      .map(({ target }) => normalize(join(dirname(file), target)))
      .filter(target => floorOf(target) !== floor && !FLOORS[floor!]!.includes(floorOf(target) ?? target))
    expect(upward).toEqual([])
  })
  it('leaves each library to its owner', () => {
    const packages = imports.filter(({ target, typeOnly }) => !typeOnly && !target.startsWith('.') && !target.startsWith('node:'))
    const stray = packages.filter(({ target }) => OWNERS[target] !== file && !SHARED[floorOf(file)!]?.includes(target))
    expect(stray).toEqual([])
  })
})

it('keeps every file under 300 lines, and half of them under 80', () => {
  const sizes = files.map(lines).sort((a, b) => a - b)
  expect(everything.filter(file => lines(file) > 300)).toEqual([])
  expect(sizes[sizes.length >> 1]).toBeLessThan(80)
})

it('has no import cycle', () => {
  const graph = new Map(
    files.map(file => [
      file,
      importsOf(file)
        .filter(({ target, typeOnly }) => !typeOnly && target.startsWith('.'))
        .map(({ target }) => normalize(join(dirname(file), target))),
    ]),
  )
  const done = new Set<string>()
  const cycles: string[][] = []
  const walk = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) return void cycles.push([...path.slice(path.indexOf(file)), file])
    if (done.has(file)) return
    for (const next of graph.get(file) ?? []) walk(next, [...path, file])
    done.add(file)
  }
  for (const file of files) walk(file, [])
  expect(cycles).toEqual([])
})

it('names no file after what it is not', () => {
  const vague = files.filter(
    file => /(util|helper|manager|service|common|misc)s?\.ts$/.test(file) || /\/(utils?|helpers?|common)\//.test(file),
  )
  expect(vague).toEqual([])
})

it('installs without compiling and without install scripts', () => {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, { hasInstallScript?: boolean }> }
  expect(
    Object.entries(lock.packages)
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([name]) => name),
  ).toEqual([])
  expect(readFileSync('.npmrc', 'utf8')).toContain('ignore-scripts=true')
})

it('pins every dependency to one version', () => {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const versions = Object.values({ ...dependencies, ...devDependencies, ...optionalDependencies }) as string[]
  expect(versions.filter(version => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([])
})
