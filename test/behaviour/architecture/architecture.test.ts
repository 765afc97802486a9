import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cruise } from 'dependency-cruiser'
import extractConfig from 'dependency-cruiser/config-utl/extract-depcruise-config'
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config'
import { describe, expect, it } from 'vitest'

const ROOMS = ['catalog', 'src', 'ingest']

const under = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    // What benchmarks keep and install is nobody's code here.
    .filter(name => /\.tsx?$/.test(name) && !name.startsWith('.data/'))
    .map(name => join(folder, name))

/** Every file of the rooms with its imports, type imports included, and every import that breaks a rule of `.dependency-cruiser.mjs`. */
async function house() {
  const { options, forbidden = [] } = await extractConfig('./.dependency-cruiser.mjs')
  const { output } = await cruise(ROOMS, { ...options, ruleSet: { forbidden }, validate: true }, undefined, {
    tsConfig: extractTSConfig('tsconfig.json'),
  })
  if (typeof output === 'string') throw new Error(output)
  const offenders = output.summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, text: `${rule.name}: ${from} → ${to}` }))
  return { modules: output.modules.filter(({ source }) => /^(catalog|src|ingest)\//.test(source)), offenders }
}

describe('the house', async () => {
  const { modules, offenders } = await house()
  it('is read whole', () => expect(modules.length).toBeGreaterThan(250))
  it('is entered by its doors, upward and in no circle', () =>
    expect(offenders.filter(({ rule }) => !rule.startsWith('library')).map(({ text }) => text)).toEqual([]))
  it('keeps each library in its rooms', () =>
    expect(offenders.filter(({ rule }) => rule.startsWith('library')).map(({ text }) => text)).toEqual([]))
})

it('names no file after what it is not', () => {
  const vague = ROOMS.flatMap(under).filter(
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
  expect(versions.filter(version => !/^(npm:[\w-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([])
})
