import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { serving, twmd } from '../../fixtures/cli/twmd.ts'
import { day, quote, trade } from '../../fixtures/publish/rows.ts'
import { damagedParts, stored } from '../../fixtures/publish/store.ts'
import { SECRETS, service, type TestService } from '../../support.ts'

const SLUG = 'institutional-positioning'
const PATH = `/v2/datasets/${SLUG}?symbol=2330`
let s: TestService
let first: string
let bad: ReturnType<typeof stored>
beforeEach(async () => {
  s = await service({ examples: false })
  await s.publish(SLUG, [...day('2026-06-26', 1), ...day('2026-06-29', 2)])
  first = stored(s.workspace.releases, SLUG).release
  await s.publish(SLUG, day('2026-06-30', 3))
  bad = stored(s.workspace.releases, SLUG)
})
afterEach(() => s.close())

const serve = (release: string, ...rest: string[]) => twmd(s.dir, 'releases', 'serve', SLUG, release, ...rest)
const current = () => stored(s.workspace.releases, SLUG)
const takeUp = async (): Promise<void> => {
  await s.releases.refresh()
  await s.publications.refresh()
}
const read = async (path = PATH) => {
  const { headers, body } = await s.get(path, s.keyOn('max'))
  const { data } = JSON.parse(body) as { data: readonly { trade_date: string }[] }
  return [headers['x-release'], data?.map(({ trade_date }) => trade_date)]
}
const updates = async (): Promise<readonly { kind: string; release_version: string; previous_release_version: string | null }[]> =>
  (await s.get('/v2/updates?since=2000-01-01')).json().data

describe('twmd releases serve', () => {
  it('twmd releases serve serves an earlier release, names the withdrawn release, and can serve the withdrawn release again', async () => {
    const { code, stdout, stderr } = await serve(first)
    const rows = 'institutional-positioning: serves'
    expect([code, stdout, stderr]).toEqual([
      0,
      `${rows} ${first} again: 6 rows, as of 2026-06-29.\nWithdrawn, still stored: ${bad.release}.\n`,
      '',
    ])
    await takeUp()
    expect(await read()).toEqual([first, ['2026-06-29', '2026-06-26']])
    expect(await serve(bad.release)).toMatchObject({ code: 0, stdout: `${rows} ${bad.release} again: 9 rows, as of 2026-06-30.\n` })
    await takeUp()
    expect(await read()).toEqual([bad.release, ['2026-06-30', '2026-06-29', '2026-06-26']])
    expect(damagedParts(s.workspace.releases, SLUG)).toEqual([])
  })

  it('twmd releases serve --json prints one JSON document, served or refused', async () => {
    expect(JSON.parse((await serve(first, '--json')).stdout)).toEqual({
      status: 'served',
      dataset: SLUG,
      release: first,
      former: bad.release,
      withdrawn: [bad.release],
      rows: 6,
      data_as_of: '2026-06-29',
      synthetic: false,
      not_moved: [],
      computed_from: [],
      computed: [],
    })
    const { code, stdout, stderr } = await serve(first, '--json')
    expect([code, stderr]).toEqual([1, ''])
    expect(JSON.parse(stdout)).toEqual({ status: 'refused', dataset: SLUG, release: first, message: expect.stringContaining('already') })
  })

  it('a running service follows twmd releases serve without a restart', async () => {
    const key = s.keyOn('max')
    const running = await serving(s.dir, 'serve', SECRETS)
    const release = async () => (await fetch(`${running.url}${PATH}`, { headers: { 'x-api-key': key } })).headers.get('x-release')
    expect(await release()).toBe(bad.release)
    expect((await serve(first)).code).toBe(0)
    await expect.poll(release, { timeout: 10_000 }).toBe(first)
    await running.stop()
  })

  it('a withdrawn release answers reads pinned to it, and the updates feed lists the withdrawal', async () => {
    await serve(first)
    await takeUp()
    expect(await read(`${PATH}&release=${bad.release}`)).toEqual([bad.release, ['2026-06-30', '2026-06-29', '2026-06-26']])
    expect((await updates()).map(({ kind, release_version }) => [kind, release_version])).toEqual([
      ['withdrawal', first],
      ['new_rows', first],
    ])
  })

  it('the updates feed links a publication after a withdrawal to the served release', async () => {
    await serve(first)
    await s.publish(SLUG, [trade('2330', '2026-07-01', 9)])
    const { release, manifest } = current()
    expect([manifest.parent, release > bad.release]).toEqual([first, true])
    expect(await read()).toEqual([release, ['2026-07-01', '2026-06-29', '2026-06-26']])
    expect(await updates()).toMatchObject([
      { release_version: release, previous_release_version: first },
      { kind: 'withdrawal', release_version: first, previous_release_version: bad.release },
      { release_version: first, previous_release_version: null },
    ])
  })

  it('twmd releases serve repairs a file "current" that names no release, and replaces a damaged served release', async () => {
    writeFileSync(bad.paths.current, 'nothing')
    expect(await serve(first)).toMatchObject({ code: 0, stdout: expect.not.stringContaining('Withdrawn') })
    await serve(bad.release)
    rmSync(bad.paths.part(bad.delta[0]!.sha256))
    expect((await serve(first)).code).toBe(0)
    expect(current().release).toBe(first)
  })
})

describe('refusals', () => {
  it('twmd releases serve exits with 1 and the reason when a release is damaged, and leaves the served release unchanged', async () => {
    rmSync(bad.paths.part(bad.base[0]!.sha256))
    const { code, stdout, stderr } = await serve(first)
    expect([code, stdout, stderr]).toEqual([
      1,
      '',
      expect.stringMatching(/is damaged: part [0-9a-f]{64} is missing\. Restore it from a backup/),
    ])
    expect(readFileSync(bad.paths.current, 'utf8').trim()).toBe(bad.release)
  })

  it('twmd releases serve refuses an unknown dataset, a dataset without releases and a missing argument', async () => {
    expect(await twmd(s.dir, 'releases', 'serve', 'institutional-positionings', first)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean institutional-positioning?'),
    })
    expect(await twmd(s.dir, 'releases', 'serve', 'earnings', first)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('earnings has no release yet'),
    })
    expect((await twmd(s.dir, 'releases', 'serve', SLUG)).code).toBe(2)
  })
})

describe('derived datasets', () => {
  const volumes = async () => {
    const { data } = (await s.get(`${PATH}&columns=trade_date,foreign_pct`, s.keyOn('max'))).json()
    return Object.fromEntries(data.map((row: Record<string, unknown>) => [row['trade_date'], row['foreign_pct']]))
  }

  it('twmd releases serve computes derived columns from the release that it serves', async () => {
    await s.publish('daily-prices', [quote('2330', '2026-06-29', 1_000)])
    const [before, trades] = [await volumes(), current().release]
    const quotes = stored(s.workspace.releases, 'daily-prices').release
    await s.publish('daily-prices', [quote('2330', '2026-06-29', 2_000)])
    const after = await volumes()
    expect(after['2026-06-29']).not.toBe(before['2026-06-29'])

    const moved = await twmd(s.dir, 'releases', 'serve', 'daily-prices', quotes)
    expect(moved.stdout).not.toContain('Not changed')
    await takeUp()
    expect(await volumes()).toEqual(before)

    await s.publish('daily-prices', [quote('2330', '2026-06-29', 2_000)])
    expect(await volumes()).toEqual(after)
    const back = await serve(trades)
    expect(back.stdout).toContain(`The next publication of daily-prices computes ${SLUG} again.`)
    await takeUp()
    expect(await volumes()).toEqual(before)
    await s.publish('daily-prices', [quote('2454', '2026-06-24', 10)])
    expect(await volumes()).toEqual(after)
  })

  it('streaks are computed with the calendar release that twmd releases serve selected', async () => {
    const streaks = async () => (await s.get(`${PATH}&columns=trade_date,buy_streak`, s.keyOn('max'))).json().data
    const closed = (date: string) => s.publish('trading-calendar', [{ market: 'TWSE', date, is_open: false, reason: '颱風' }])
    await s.publish(SLUG, day('2026-07-01', 4))
    const before = await streaks()
    await closed('2025-03-03')
    const calendar = stored(s.workspace.releases, 'trading-calendar').release
    await s.publish('trading-calendar', [{ market: 'TWSE', date: '2026-06-27', is_open: true, reason: '補行交易' }])
    expect(await streaks()).not.toEqual(before)
    const { stdout } = await twmd(s.dir, 'releases', 'serve', 'trading-calendar', calendar)
    expect(stdout).not.toContain('Not changed')
    await takeUp()
    expect(await streaks()).toEqual(before)
  })

  it('twmd releases serve --json names the derived datasets that keep their present release', async () => {
    await s.publish('income-statements', s.dataset('income-statements').example)
    const { release } = stored(s.workspace.releases, 'income-statements')
    const [row] = s.dataset('income-statements').example
    await s.publish('income-statements', [{ ...row, ticker: '9999' }])
    const { stdout } = await twmd(s.dir, 'releases', 'serve', 'income-statements', release, '--json')
    expect(JSON.parse(stdout)).toMatchObject({ not_moved: ['company-earnings', 'earnings'], computed_from: [] })
  })
})

describe('twmd releases list', () => {
  const listed = async () => JSON.parse((await twmd(s.dir, 'releases', 'list', SLUG, '--json')).stdout)

  it('twmd releases list marks releases that are neither the served release nor its ancestors', async () => {
    await serve(first)
    await s.publish(SLUG, day('2026-07-01', 4))
    const next = current().release
    expect((await listed()).map(({ release, served, standing }: Record<string, unknown>) => [release, served, standing])).toEqual([
      [first, false, 'ancestor'],
      [bad.release, false, 'unused'],
      [next, true, 'served'],
    ])
    const lines = (await twmd(s.dir, 'releases', 'list', SLUG)).stdout.split('\n').slice(1, 4)
    expect(lines.map(line => line.endsWith('  not in use'))).toEqual([false, true, false])
  })

  it('twmd releases list marks a damaged manifest and lists releases even without a current file', async () => {
    appendFileSync(bad.paths.manifest(first), ' ')
    writeFileSync(bad.paths.current, 'nothing')
    expect(await listed()).toMatchObject([
      { release: first, damaged: true, rows: null, standing: 'unused' },
      { release: bad.release, damaged: false, rows: 9, standing: 'unused' },
    ])
    expect((await twmd(s.dir, 'releases', 'list', SLUG)).stdout).toMatch(/not in use, damaged$/m)
  })
})
