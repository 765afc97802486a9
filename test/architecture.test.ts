import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cruise } from 'dependency-cruiser'
import extractConfig from 'dependency-cruiser/config-utl/extract-depcruise-config'
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config'
import { describe, expect, it } from 'vitest'

const ROOMS = ['catalog', 'src', 'ingest']

const under = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => join(folder, name))
const lines = (file: string): number => readFileSync(file, 'utf8').trimEnd().split('\n').length

/** Every import that breaks a rule of `.dependency-cruiser.mjs`, as `rule: from → to`. */
async function offenders(): Promise<readonly { readonly rule: string; readonly text: string }[]> {
  const { options, forbidden = [] } = await extractConfig('./.dependency-cruiser.mjs')
  const { output } = await cruise(ROOMS, { ...options, ruleSet: { forbidden }, validate: true }, undefined, {
    tsConfig: extractTSConfig('tsconfig.json'),
  })
  if (typeof output === 'string') throw new Error(output)
  if (output.summary.totalCruised < 300) throw new Error(`only ${output.summary.totalCruised} files were read`)
  return output.summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, text: `${rule.name}: ${from} → ${to}` }))
}

describe('the house', async () => {
  const found = await offenders()
  it('is entered by its doors, upward and in no circle', () =>
    expect(found.filter(({ rule }) => !rule.startsWith('library')).map(({ text }) => text)).toEqual([]))
  it('keeps each library in its rooms', () =>
    expect(found.filter(({ rule }) => rule.startsWith('library')).map(({ text }) => text)).toEqual([]))
})

it('keeps every file under 300 lines', () =>
  expect([...ROOMS, 'test', 'bench'].flatMap(under).filter(file => lines(file) > 300)).toEqual([]))

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
