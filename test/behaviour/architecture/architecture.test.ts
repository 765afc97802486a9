import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cruise } from 'dependency-cruiser'
import extractConfig from 'dependency-cruiser/config-utl/extract-depcruise-config'
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config'
import { describe, expect, it } from 'vitest'

const FOLDERS = ['catalog', 'src', 'ingest', 'portal']

const under = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.tsx?$/.test(name))
    .map(name => join(folder, name))

/**
 * Every file with its imports, and all imports that violate a rule of `.dependency-cruiser.mjs`.
 */
async function imports() {
  const { options, forbidden = [] } = await extractConfig('./.dependency-cruiser.mjs')
  const { output } = await cruise(
    [...FOLDERS, 'clients/typescript/src'],
    { ...options, ruleSet: { forbidden }, validate: true },
    undefined,
    {
      tsConfig: extractTSConfig('tsconfig.json'),
    },
  )
  if (typeof output === 'string') throw new Error(output)
  const offenders = output.summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, text: `${rule.name}: ${from} → ${to}` }))
  return { modules: output.modules.filter(({ source }) => /^(catalog|src|ingest|portal)\//.test(source)), offenders }
}

describe('the modules', async () => {
  const { modules, offenders } = await imports()
  it('dependency-cruiser reads every module', () => expect(modules.length).toBeGreaterThan(250))
  it('modules import only entry points of modules above them, without cycles', () =>
    expect(offenders.filter(({ rule }) => !rule.startsWith('library')).map(({ text }) => text)).toEqual([]))
  it('each library is imported only by the modules that own it', () =>
    expect(offenders.filter(({ rule }) => rule.startsWith('library')).map(({ text }) => text)).toEqual([]))
})

it('no file is named utils, helpers, manager or common', () => {
  const vague = FOLDERS.flatMap(under).filter(
    file => /(util|helper|manager|service|common|misc)s?\.ts$/.test(file) || /\/(utils?|helpers?|common)\//.test(file),
  )
  expect(vague).toEqual([])
})

it('npm ci compiles nothing and runs no install script', () => {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, { hasInstallScript?: boolean }> }
  expect(
    Object.entries(lock.packages)
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([name]) => name),
  ).toEqual([])
  expect(readFileSync('.npmrc', 'utf8')).toContain('ignore-scripts=true')
})

it('every dependency is pinned to one version', () => {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const versions = Object.values({ ...dependencies, ...devDependencies, ...optionalDependencies }) as string[]
  expect(versions.filter(version => !/^(npm:[\w-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([])
})
