import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..', '..')
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'twmd-compiled-'))
  writeFileSync(join(folder, 'where.mjs'), "import { getCompileCacheDir } from 'node:module'\nconsole.log(getCompileCacheDir())\n")
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Where a program that `src/run.mjs` runs finds what was compiled before. */
function compiledFor(env: NodeJS.ProcessEnv): string {
  const args = [join(ROOT, 'src', 'run.mjs'), '--run', join(folder, 'where.mjs')]
  const { NODE_COMPILE_CACHE: _, ...others } = process.env
  return execFileSync(process.execPath, args, { env: { ...others, ...env }, encoding: 'utf8' }).trim()
}

it('a program starts from modules that an earlier start compiled, kept beside its dependencies', () => {
  expect(compiledFor({}).startsWith(join(ROOT, 'node_modules', '.cache', 'twmd') + sep)).toBe(true)
})

it('NODE_COMPILE_CACHE moves them', () => {
  expect(compiledFor({ NODE_COMPILE_CACHE: join(folder, 'elsewhere') }).startsWith(join(folder, 'elsewhere') + sep)).toBe(true)
})
