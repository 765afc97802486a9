import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadCatalog } from '../../catalog/index.ts'
import { ACCEPTABLE } from '../../ingest/publish/index.ts'
import { CLI, ended, environment, type Ran, twmd } from '../fixtures/cli/twmd.ts'
import { stored } from '../fixtures/publish/store.ts'
import { openTestWorkspace, publishRows } from '../support.ts'

const catalog = await loadCatalog()
const SLUG = 'bond-yield-curve'
const rows = catalog.get(SLUG)!.example
let dir: string
let good: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twmd-'))
  good = partitionFile('good.ndjson', rows)
})
afterEach(() => rm(dir, { recursive: true, force: true }))

function partitionFile(name: string, content: readonly object[]): string {
  const file = join(dir, name)
  writeFileSync(file, content.map(row => JSON.stringify(row)).join('\n'))
  return file
}
const releases = () => join(dir, 'releases')

describe('twmd publish', () => {
  it('says what it published, and that it has nothing to do the second time', async () => {
    const first = await twmd(dir, 'publish', SLUG, good)
    const { release, manifest } = stored(releases(), SLUG)
    const { date_from, date_to } = manifest.changes
    expect(first).toEqual({
      code: 0,
      stdout: `${SLUG}: published ${release}: ${rows.length} rows added, 0 changed, 0 removed, ${date_from} to ${date_to}.\n`,
      stderr: '',
    })
    expect(await twmd(dir, 'publish', SLUG, good)).toEqual({
      code: 0,
      stdout: `${SLUG}: every row is served already by ${release}; nothing to publish.\n`,
      stderr: '',
    })
    expect(manifest.synthetic).toBe(false)
  })

  it('says that samples are no longer served once real rows take their place', async () => {
    const workspace = await openTestWorkspace(dir)
    await publishRows(workspace, dir, catalog.get(SLUG)!, rows, { synthetic: true })
    workspace.close()
    const gone = `${rows.length} sample rows are no longer served`
    const first = await twmd(dir, 'publish', SLUG, partitionFile('one.ndjson', rows.slice(0, 1)))
    expect([first.code, first.stdout]).toEqual([
      0,
      expect.stringMatching(new RegExp(`1 rows added, 0 changed, 0 removed, .*; ${gone}\\.\\n$`)),
    ])
    const second = await twmd(dir, 'publish', SLUG, partitionFile('two.ndjson', rows.slice(1)))
    expect(second.stdout).not.toContain('sample')
  })

  it('takes the underscore name of a dataset and several files at once', async () => {
    const files = [partitionFile('1.ndjson', rows.slice(0, 1)), partitionFile('2.ndjson', rows.slice(1))]
    expect(await twmd(dir, 'publish', 'bond_yield_curve', ...files)).toMatchObject({ code: 0 })
    expect(stored(releases(), SLUG).manifest.sources.map(({ name }) => name)).toEqual(['1.ndjson', '2.ndjson'])
  })

  it('refuses with exit code 1, saying rule, column, count, the first value at fault and where the file is kept', async () => {
    const bad = partitionFile('bad.ndjson', [{ ...rows[0], yield_rate: 'high' }])
    const { code, stdout, stderr } = await twmd(dir, 'publish', SLUG, bad)
    expect([code, stdout]).toEqual([1, ''])
    const [folder] = await readdir(join(dir, 'quarantine', SLUG))
    expect(stderr.split('\n')).toEqual(
      expect.arrayContaining([
        'refused  type (yield_rate), 1×: 1 values of yield_rate are not finite numbers.',
        '           row 1: yield_rate high',
        `         kept with its report in ${join(dir, 'quarantine', SLUG, folder!)}`,
        `${SLUG}: refused, nothing was published.`,
      ]),
    )
  })

  it('prints one JSON document for programs, published or refused', async () => {
    const done = await twmd(dir, 'publish', SLUG, good, '--json')
    expect(JSON.parse(done.stdout)).toEqual({
      status: 'published',
      release: stored(releases(), SLUG).release,
      changes: stored(releases(), SLUG).manifest.changes,
      faults: [],
      notices: [],
      rowsBySource: { 0: rows.length },
      rowsConfirmed: 0,
      samplesReplaced: 0,
      quarantined: [],
      quarantine: { left: [], reportOnly: [] },
      followUps: [],
    })
    const refused = await twmd(dir, 'publish', SLUG, partitionFile('bad.ndjson', [{ ...rows[0], yield_rate: 99 }]), '--json')
    expect([refused.code, JSON.parse(refused.stdout)]).toMatchObject([
      1,
      {
        status: 'refused',
        release: null,
        changes: null,
        faults: [{ rule: 'yield_in_percent', count: 1, source: 0 }],
        quarantined: [expect.any(String)],
      },
    ])
  })

  it('lets a rule pass that is named, and says what became of datasets made from this one', async () => {
    const [row] = catalog.get('income-statements')!.example
    const ahead = partitionFile('ahead.ndjson', [{ ...row, fiscal_year: 2199, period_end: '2199-03-31' }])
    expect(await twmd(dir, 'publish', 'income-statements', ahead)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('future_date (period_end)'),
    })
    const { code, stdout, stderr } = await twmd(dir, 'publish', 'income-statements', ahead, '--accept', 'future_date')
    // What is made from the statements is held to the same rule and was let pass by nobody.
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^income-statements: published \S+: 1 rows added/)])
    expect(stderr).toMatch(
      /^refused {3}earnings: period_end lies in the future.*\nrefused {3}company-earnings: period_end lies in the future/,
    )
  })

  it('takes a schedule of holidays announced for the year to come over what was foretold, but not one of a year nobody has announced', async () => {
    const holiday = (date: string) => ({ market: 'TWSE', date, is_open: false, reason: '照公告休市' })
    const next = `${new Date().getUTCFullYear() + 1}-02-04`
    expect(await twmd(dir, 'publish', 'trading-calendar', partitionFile('next.ndjson', [holiday(next)]))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(` changed, 0 removed, ${next} to ${next}.`),
    })
    const wrong = await twmd(dir, 'publish', 'trading-calendar', partitionFile('wrong.ndjson', [holiday('2199-02-04')]))
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('future_date (date), 1×: date lies more than 500 days')])
  })

  it.each([
    [
      ['bond-yeld-curve', 'good.ndjson'],
      'There is no dataset named bond-yeld-curve; did you mean bond-yield-curve? Known: adjusted-prices, adjustment-factors, all-segments, ',
    ],
    [
      ['nothing-like-it', 'good.ndjson'],
      'There is no dataset named nothing-like-it. Known: adjusted-prices, adjustment-factors, all-segments, ',
    ],
    [[SLUG, 'absent.csv'], /^There is no file \S+absent\.csv\.$/m],
    [[SLUG, 'folder'], /The folder \S+folder holds no files\.$/m],
    [[SLUG, 'pipe.csv'], /pipe\.csv is a pipe, not a file; write what it gives into a file first\.$/m],
    [[SLUG, '../../dev/null'], /dev\/null is a device, not a file; write what it gives into a file first\.$/m],
    [[SLUG, 'good.ndjson', '--accept', 'grain'], `--accept grain: only ${ACCEPTABLE.join(', ')} may be let pass.`],
  ])('is misused as %j: exit code 2 and what to write instead', async (args, message) => {
    mkdirSync(join(dir, 'folder'))
    execFileSync('mkfifo', [join(dir, 'pipe.csv')])
    const { code, stdout, stderr } = await twmd(dir, 'publish', ...args.map((arg, index) => (index === 1 ? join(dir, arg) : arg)))
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(message)
    expect(stderr).not.toMatch(/ at .*\.ts:/)
  })
})

describe('on a disk without room', () => {
  /** Runs `twmd` where no file may grow beyond so many KB, which shows as a full disk does. */
  async function twmdWithin(kilobytes: number, ...args: readonly string[]): Promise<Ran> {
    const limited = `ulimit -f ${kilobytes}; exec "$0" "$@"`
    return ended(
      spawn('bash', ['-c', limited, process.execPath, CLI, ...args], { env: environment(dir), stdio: ['ignore', 'pipe', 'pipe'] }),
    )
  }
  const many = Array.from({ length: 3_000 }, (_, day) => ({
    ...rows[0],
    trade_date: new Date(Date.UTC(2010, 0, 1 + day)).toISOString().slice(0, 10),
    as_of: new Date(Date.UTC(2010, 0, 1 + day)).toISOString().slice(0, 10),
  }))

  it.each([
    ['before it is read', 100],
    ['while its release is written', 1],
  ])('a good file is told of a full disk %s, stays where it is and is not quarantined', async (_, kilobytes) => {
    const file = kilobytes === 1 ? partitionFile('small.ndjson', rows.slice(0, 1)) : partitionFile('many.ndjson', many)
    const before = readFileSync(file)
    const { code, stdout, stderr } = await twmdWithin(kilobytes, 'publish', SLUG, file)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^Failed: The disk is full \(.*\)\. .* none quarantined for it; make room, then run the command again\.\n$/)
    expect(await readdir(join(dir, 'quarantine'))).toEqual([])
    expect(readFileSync(file)).toEqual(before)
  })

  it('a file that is refused leaves no half of itself in quarantine', async () => {
    const bad = partitionFile(
      'bad.ndjson',
      rows.map(row => ({ ...row, note: 'x'.repeat(80_000) })),
    )
    const { code, stderr } = await twmdWithin(100, 'publish', SLUG, bad)
    expect([code, stderr]).toEqual([1, expect.stringContaining('The disk is full')])
    expect(await readdir(join(dir, 'quarantine'))).toEqual([])
  })
})

describe('twmd releases', () => {
  it('lists releases by age with the served one marked, shows its manifest, and verifies every part', async () => {
    expect(await twmd(dir, 'releases', 'list', SLUG)).toMatchObject({ code: 0, stdout: expect.stringContaining('no release yet') })
    await twmd(dir, 'publish', SLUG, good)
    const first = stored(releases(), SLUG)
    await twmd(dir, 'publish', SLUG, partitionFile('more.ndjson', [{ ...rows[0], trade_date: '2026-07-01', as_of: '2026-07-01' }]))
    const second = stored(releases(), SLUG)
    const listed = await twmd(dir, 'releases', 'list', SLUG)
    expect(listed.stdout.split('\n').slice(1, 3)).toEqual([
      expect.stringMatching(new RegExp(`^ +${first.release} +${rows.length} `)),
      expect.stringMatching(new RegExp(`^\\* +${second.release} +${rows.length + 1} +2026-07-01 +new_rows +\\+1 ~0 -0$`)),
    ])
    const json = JSON.parse((await twmd(dir, 'releases', 'list', SLUG, '--json')).stdout)
    expect(json.map(({ release, served }: Record<string, unknown>) => [release, served])).toEqual([
      [first.release, false],
      [second.release, true],
    ])
    const shown = await twmd(dir, 'releases', 'show', SLUG)
    for (const line of [/^release +\S+$/m, new RegExp(`^parent +${first.release}$`, 'm'), /^sources +more\.ndjson \(1\)$/m])
      expect(shown.stdout).toMatch(line)
    expect(JSON.parse((await twmd(dir, 'releases', 'show', SLUG, '--json')).stdout)).toEqual(second.manifest)
    expect(await twmd(dir, 'releases', 'verify', SLUG, '--json')).toMatchObject({ code: 0 })
  })
})
