import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..', '..')
/** Prints the packages that modules load. */
const LOADED = `import { registerHooks } from 'node:module'
const packages = new Set()
registerHooks({ load(url, context, next) {
  packages.add(/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1])
  return next(url, context)
} })
for (const module of process.argv.slice(2)) await import(module)
console.log(JSON.stringify([...packages]))
`
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'twmd-compiled-'))
  writeFileSync(join(folder, 'loaded.mjs'), LOADED)
  writeFileSync(join(folder, 'where.mjs'), "import { getCompileCacheDir } from 'node:module'\nconsole.log(getCompileCacheDir())\n")
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Output of a program that `src/run.mjs` runs. */
function printed(env: NodeJS.ProcessEnv, program: string, ...args: string[]): string {
  const { NODE_COMPILE_CACHE: _, ...others } = process.env
  const all = [join(ROOT, 'src', 'run.mjs'), '--run', join(folder, program), ...args]
  return execFileSync(process.execPath, all, { env: { ...others, ...env }, encoding: 'utf8' }).trim()
}
const compiledFor = (env: NodeJS.ProcessEnv): string => printed(env, 'where.mjs')

it('run.mjs caches compiled modules in node_modules/.cache/twmd', () => {
  expect(compiledFor({}).startsWith(join(ROOT, 'node_modules', '.cache', 'twmd') + sep)).toBe(true)
})

it('NODE_COMPILE_CACHE moves the cache of compiled modules', () => {
  expect(compiledFor({ NODE_COMPILE_CACHE: join(folder, 'elsewhere') }).startsWith(join(folder, 'elsewhere') + sep)).toBe(true)
})

/**
 * Modules that a start loads: the module that wires a service, and the modules that import all
 * others.
 */
const SERVICE = ['main.ts', 'search/index.ts', 'http/index.ts']

it('a start loads no package that only payments, mail, Arrow or Parquet need', () => {
  const packages: readonly string[] = JSON.parse(printed({}, 'loaded.mjs', ...SERVICE.map(file => join(ROOT, 'src', file))))
  expect(packages).toContain('fastify')
  for (const name of ['stripe', 'nodemailer', 'apache-arrow', 'hyparquet-writer']) expect(packages).not.toContain(name)
})

it('publishing files loads no package that only fetching needs', () => {
  const packages: readonly string[] = JSON.parse(printed({}, 'loaded.mjs', join(ROOT, 'src', 'cli', 'publish', 'publish.ts')))
  expect(packages).toContain('@duckdb/node-api')
  expect(packages).not.toContain('undici')
})
