import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Row } from '../../catalog/index.ts'
import { serveAgain } from '../../ingest/publish/index.ts'
import { freePort } from '../fixtures/free-port.ts'
import { trade, weekdays } from '../fixtures/publish/rows.ts'
import { NOW, service, type TestService } from '../support.ts'

const PROJECT = resolve('clients/python')
const REQUIREMENTS = join(PROJECT, 'tests/requirements.txt')
const PYTHON = process.env['PYTHON3'] ?? 'python3'

async function run(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}, cwd = PROJECT) {
  const child = spawn(program, args, { cwd, env: { ...process.env, ...env } })
  const failed = new Promise<void>(resolve => child.once('error', () => resolve()))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), Promise.race([once(child, 'close'), failed])])
  return { status: child.exitCode, printed: stdout + stderr }
}

/**
 * A cached environment with the libraries of the tests, one for each list of libraries; null if
 * Python or the registry is unavailable.
 */
async function environment(): Promise<string | null> {
  const isNewEnough = await run(PYTHON, ['-c', 'import sys, venv; sys.exit(sys.version_info < (3, 10))'])
  if (isNewEnough.status !== 0) return null
  const { printed: version } = await run(PYTHON, ['--version'])
  const hash = createHash('sha256')
    .update(version + readFileSync(REQUIREMENTS))
    .digest('hex')
    .slice(0, 16)
  const folder = resolve('node_modules/.cache/twmd-python', hash)
  if (existsSync(folder)) return folder
  await rm(`${folder}.unfinished`, { recursive: true, force: true })
  await mkdir(resolve(folder, '..'), { recursive: true })
  const python = join(`${folder}.unfinished`, 'bin/python')
  if ((await run(PYTHON, ['-m', 'venv', `${folder}.unfinished`])).status !== 0) return null
  if ((await run(python, ['-m', 'pip', 'install', '-q', '-r', REQUIREMENTS])).status !== 0) return null
  await rename(`${folder}.unfinished`, folder)
  return folder
}

const cached = await environment()
const python = join(cached ?? '', 'bin/python')
const why = cached === null ? `: skipped, for ${PYTHON} is not 3.10 or newer, or its packages cannot be installed` : ''

const SLUG = 'institutional-positioning'
const DAYS = weekdays('2021-09-01', 1_200)

describe.skipIf(cached === null)(`Python package${why}`, () => {
  let s: TestService
  let dir = ''
  let installed = ''
  let env: Readonly<Record<string, string>>
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'twmd-python-'))
    let now = NOW
    const port = await freePort()
    s = await service({ now: () => now, publicUrl: `http://127.0.0.1:${port}` })
    const publish = async (minutes: number, rows: Parameters<TestService['publish']>[1]) => {
      now = new Date(NOW.getTime() + minutes * 60_000)
      const { faults } = await s.publish(SLUG, rows, { accept: ['closed_day', 'row_count_drift', 'changed_rows'] })
      expect(faults).toEqual([])
    }
    const others = ['1101', '2317', '0050'].map((ticker, index) => trade(ticker, '2026-03-04', 3_000_000_000 * (index + 1)))
    await publish(1, [...DAYS.map((day, index) => trade('2330', day, index % 3 === 0 ? -5_000_000_000 - index : 1_000 * index)), ...others])
    // The newest day is revised one day later. On the following day it has a wrong value for an
    // hour.
    await publish(24 * 60, [trade('2330', '2026-06-30', 4_242)])
    const right = s.releases.current(s.dataset(SLUG)).manifest.release
    await publish(48 * 60, [trade('2330', '2026-06-30', 9_999)])
    now = new Date(NOW.getTime() + 49 * 3_600_000)
    await serveAgain(s.workspace, s.dataset(SLUG), right)
    await s.releases.refresh()
    await s.publications.refresh()
    await s.columns.refresh()
    const url = await s.app.listen({ port, host: '127.0.0.1' })
    env = {
      TWMD_URL: url,
      TWMD_API_KEY: s.keyOn('max', 'python@example.test'),
      TWMD_FREE_KEY: s.keyOn('free', 'free@example.test'),
      PYTHONDONTWRITEBYTECODE: '1',
    }
    const wheel = ['-m', 'pip', 'wheel', '-q', '--no-deps', '--no-build-isolation', '--wheel-dir', dir, PROJECT]
    const build = await run(python, wheel)
    expect([build.status, build.status === 0 ? '' : build.printed]).toEqual([0, ''])
    const built = globSync(join(dir, '*.whl'))
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(built).toEqual([join(dir, `twmd-${version}-py3-none-any.whl`)])
    // Install outside the folder of the libraries, so that checkouts and runs do not interfere.
    installed = join(dir, 'installed')
    expect((await run(python, ['-m', 'pip', 'install', '-q', '--no-deps', '--target', installed, ...built])).status).toBe(0)
  }, 300_000)
  afterAll(async () => {
    await s.close()
    await rm(dir, { recursive: true })
  })

  it('the installed Python package passes its own tests and the examples of its documents', async () => {
    const tests = ['-m', 'pytest', '-p', 'no:cacheprovider', '--basetemp', join(dir, 'tmp'), join(PROJECT, 'tests')]
    const { status, printed } = await run(python, tests, { ...env, PYTHONPATH: installed })
    expect([status, status === 0 ? /\d+ passed(, \d+ skipped)?/.exec(printed)?.[1] : printed]).toEqual([0, undefined])
    expect(printed).toMatch(/\d+ passed in/)
  }, 300_000)

  it('examples/python/with_twmd.py prints the figures of the JSON response', async () => {
    const { data } = (await s.get(`/v2/datasets/${SLUG}?symbol=2330&limit=5000`, env['TWMD_API_KEY'])).json()
    const example = resolve('examples/python/with_twmd.py')
    const recipe = (symbol: string) =>
      run(python, [example, symbol], { ...env, TWMD_API_KEY: env['TWMD_API_KEY']!, PYTHONPATH: installed }, dir)
    const net = (year: string): number =>
      data.reduce(
        (sum: number, row: Row) => sum + (String(row['trade_date']).startsWith(year) ? Number(row['institutional_net_buy_total']) : 0),
        0,
      )
    const { status, printed } = await recipe('2330')
    const lines = printed.split('\n').map(line => line.trim().replace(/ +/g, ' '))
    expect([status, lines.filter(line => /^2330: |^(2022|2024) /.test(line))]).toEqual([
      0,
      ['2330: newest 50 days', `2330: ${data.length} days, by year`, `2022 ${net('2022')}`, `2024 ${net('2024')}`],
    ])
    expect(await recipe('9999')).toEqual({ status: 0, printed: '9999: newest 0 days\n' })
    expect(await recipe('x')).toEqual({ status: 1, printed: 'symbol must look like 2330\n' })
  }, 120_000)

  it('the Python package passes mypy and ruff', async () => {
    const types = await run(python, ['-m', 'mypy', '--cache-dir', join(dir, 'mypy'), 'src'])
    expect(types.printed).toMatch(/^Success: no issues found/)
    expect((await run(python, ['-m', 'ruff', 'check', '--no-cache', '.'])).printed).toBe('All checks passed!\n')
    expect((await run(python, ['-m', 'ruff', 'format', '--no-cache', '--check', '.'])).printed).toMatch(/already formatted/)
  }, 300_000)
})

it('the Python package has the version of the service', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  expect(readFileSync(join(PROJECT, 'pyproject.toml'), 'utf8')).toContain(`\nversion = "${version}"\n`)
})
