import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { blocksOf } from '../behaviour/documents/documents.ts'
import { quote, trade, weekdays } from '../fixtures/publish/rows.ts'
import { dataFolder, service } from '../support.ts'

const PACKAGE = resolve('clients/typescript')
const README = 'clients/typescript/README.md'

const s = await service({ examples: false, now: () => new Date() })
const home = await dataFolder()
let environment: NodeJS.ProcessEnv
beforeAll(async () => {
  const days = weekdays('2026-01-05', 60)
  const rows = days.flatMap((day, at) => ['2330', '2317', '1101'].map(ticker => trade(ticker, day, 1_000 * at + Number(ticker))))
  expect((await s.publish('institutional-positioning', rows, { accept: ['closed_day'] })).faults).toEqual([])
  const quotes = days.flatMap((day, at) => ['2330', '2317'].map(ticker => quote(ticker, day, 1_000 + at)))
  expect((await s.publish('daily-prices', quotes, { accept: ['closed_day'] })).faults).toEqual([])
  const url = await s.app.listen({ port: 0, host: '127.0.0.1' })
  environment = { ...process.env, TWMD_URL: url, TWMD_API_KEY: s.keyOn('pro', 'package@example.test') }
  await install()
})
afterAll(async () => {
  await s.close()
  await home.remove()
})

/** Runs a program without blocking the service. */
async function run(cwd: string, program: string, ...args: readonly string[]) {
  const child = spawn(program, args, { cwd, env: environment })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { status: child.exitCode, stdout, stderr }
}

/** The steps of a user: build, pack, and install the package into another project. */
async function install(): Promise<void> {
  expect(await run(PACKAGE, 'npm', 'run', 'build')).toMatchObject({ status: 0 })
  const packed = await run(PACKAGE, 'npm', 'pack', '--json', '--pack-destination', home.dir)
  expect(packed.status).toBe(0)
  const [{ filename, files }] = JSON.parse(packed.stdout) as [{ filename: string; files: readonly { path: string }[] }]
  expect(files.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['package.json', 'README.md', 'dist/index.js', 'dist/index.d.ts', 'dist/arrow.js', 'dist/service.d.ts']),
  )
  expect(files.filter(({ path }) => !/^(dist\/|package\.json$|README\.md$)/.test(path))).toEqual([])
  writeFileSync(join(home.dir, 'package.json'), '{"type":"module","private":true}')
  const installed = await run(home.dir, 'npm', 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', `./${filename}`)
  expect(installed).toMatchObject({ status: 0 })
  // The optional dependency of the package, and the types of a Node program.
  for (const name of ['apache-arrow', '@types/node']) {
    mkdirSync(join(home.dir, 'node_modules', name, '..'), { recursive: true })
    symlinkSync(resolve('node_modules', name), join(home.dir, 'node_modules', name))
  }
}

const blocks = blocksOf(README).filter(({ language }) => language === 'ts')

it('the installed TypeScript package runs the code of its README', async () => {
  expect(blocks.length).toBeGreaterThan(7)
  writeFileSync(join(home.dir, 'readme.ts'), blocks.map(block => block.text).join('\n\n'))
  const { status, stdout, stderr } = await run(home.dir, process.execPath, '--disable-warning=ExperimentalWarning', 'readme.ts')
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toContain('2026-03-27 61330')
  expect(stdout).toContain('422 invalid_parameter')
})

it('the code of the TypeScript README compiles in strict mode', async () => {
  const options = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: 'ES2022',
    module: 'NodeNext',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    types: ['node'],
  }
  writeFileSync(join(home.dir, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['typed.ts'] }))
  const wrong = [
    '// @ts-expect-error There is no such dataset.',
    "await client.read('no-such-dataset', {})",
    '// @ts-expect-error Its symbol is missing.',
    "await client.read('daily-prices', { limit: 1 })",
    "const narrow = await client.read('daily-prices', { symbol: '2330', columns: ['close'] })",
    '// @ts-expect-error This column was not requested.',
    'narrow.rows[0]!.open',
  ]
  writeFileSync(join(home.dir, 'typed.ts'), [...blocks.map(block => block.text), ...wrong].join('\n\n'))
  const tsc = resolve('node_modules/typescript-native/bin/tsc')
  expect(await run(home.dir, process.execPath, tsc, '-p', '.')).toEqual({ status: 0, stdout: '', stderr: '' })
})

it('the TypeScript package needs apache-arrow only for Arrow tables', async () => {
  const bare = await dataFolder()
  cpSync(join(home.dir, 'node_modules/twmd-client'), join(bare.dir, 'node_modules/twmd-client'), { recursive: true })
  const script = "await import('twmd-client'); await import('twmd-client/arrow').catch(({ message }) => console.log(message))"
  writeFileSync(join(bare.dir, 'bare.mjs'), script)
  const { stdout, stderr } = await run(bare.dir, process.execPath, 'bare.mjs')
  expect([stdout, stderr]).toEqual([expect.stringContaining("Cannot find package 'apache-arrow'"), ''])
  await bare.remove()
})
