import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FORMATS } from '../../../catalog/index.ts'
import { createClient } from '../../../clients/typescript/src/index.ts'
import { collectReleases } from '../../../ingest/history/index.ts'
import { serveAgain } from '../../../ingest/publish/index.ts'
import { releasePaths } from '../../../src/releases/index.ts'
import { all } from '../../clients/calls.ts'
import { runTwmd } from '../../fixtures/cli/in-process.ts'
import { openSession } from '../../fixtures/formats/session.ts'
import { quote, trade, weekdays } from '../../fixtures/publish/rows.ts'
import { parsers } from '../../formats/parsing.ts'
import { agentAt } from '../../mcp/agent.ts'
import { FIRST_DAY, type Revised, type RevisedService, revisedService, rowsOf, SECOND_DAY, TODAY } from './revised.ts'

let s: RevisedService
let key = ''
let url = ''
beforeAll(async () => {
  s = await revisedService()
  key = s.keyOn('max')
  url = await s.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => s.close())

const get = (path: string, headers: Record<string, string> = {}) => s.get(path, key, headers)
const errorOf = async (path: string) => {
  const response = await get(path)
  const { error, detail } = response.json()
  return { status: response.statusCode, ...error, detail }
}
const withColumn = ({ slug, column, query }: Revised, more = ''): string => `${s.readPath(slug)}?${query}&columns=${column}${more}`

describe('reads as of a day', () => {
  it('a read as of the day before a revision returns the former value, in every format', async () => {
    const session = await openSession()
    const parse = parsers(session.session, session.dir)
    for (const revised of s.datasets) {
      const { slug, column, before, after, query } = revised
      const [first, second] = s.releasesOf(slug)
      for (const format of FORMATS) {
        const label = `${slug} as ${format}`
        const valuesOf = async (asOf: string) => {
          const response = await get(`${s.readPath(slug)}?${query}&format=${format}${asOf}`)
          const rows = format === 'json' ? rowsOf(response.json()) : await parse[format](response.rawPayload, s.dataset(slug).columns)
          return [response.headers['x-release'], response.headers['x-as-of'], rows.map(row => row[column])]
        }
        expect.soft(await valuesOf(`&as_of=${FIRST_DAY}`), label).toEqual([first, FIRST_DAY, [before]])
        expect.soft(await valuesOf(`&as_of=${SECOND_DAY}`), label).toEqual([second, SECOND_DAY, [after]])
        expect.soft(await valuesOf(''), label).toEqual([second, undefined, [after]])
      }
    }
    await session.close()
  })

  it('a read with as_of returns the rows of the release of that day, and the body repeats as_of', async () => {
    for (const { slug, query } of s.datasets) {
      const [first] = s.releasesOf(slug)
      const path = `${s.readPath(slug)}?${query}&format=`
      for (const format of ['csv', 'ndjson'])
        expect
          .soft((await get(`${path}${format}&as_of=${FIRST_DAY}`)).body, slug)
          .toBe((await get(`${path}${format}&release=${first}`)).body)
    }
    const full = (await get(`/v2/datasets/institutional-positioning?symbol=2330&envelope=full&as_of=${FIRST_DAY}`)).json()
    expect(full.request_context.filters).toMatchObject({ as_of: FIRST_DAY, release: s.releasesOf('institutional-positioning')[0] })
    const curve = (await get(`/v2/datasets/bond-yield-curve?symbol=10Y&as_of=${FIRST_DAY}T20:00:00%2B08:00`)).json()
    expect(curve.request_context.filters.as_of).toBe(`${FIRST_DAY}T20:00:00.000+08:00`)
  })

  it('a read without as_of has no as_of in its headers or its body', async () => {
    for (const { slug, query } of s.datasets) {
      const envelope = slug === 'institutional-positioning' ? '&envelope=full' : ''
      const response = await get(`${s.readPath(slug)}?${query}${envelope}`)
      expect.soft(response.headers['x-as-of'], slug).toBeUndefined()
      expect.soft(JSON.stringify({ ...response.json(), data: [], envelope: [] }), slug).not.toContain('"as_of":')
    }
  })

  it('as of the day before a revision, cross-sections and profiles have the former value', async () => {
    for (const { slug, query, section, column, before } of s.datasets) {
      const profile = async (path: string) => {
        const body = (await get(path)).json()
        const [{ min, top }] = body.data
        return [body.release, body.as_of, top?.[0].value ?? min]
      }
      const expected = [s.releasesOf(slug)[0], FIRST_DAY, before]
      const asOf = `columns=${column}&as_of=${FIRST_DAY}`
      expect.soft(await profile(`/v2/datasets/${slug}/profile?${query}&${asOf}`), slug).toEqual(expected)
      if (section === null) continue
      expect.soft(await profile(`/v2/datasets/${slug}/cross-section/profile?${section}&${asOf}`), slug).toEqual(expected)
      const day = await get(`/v2/datasets/${slug}/cross-section?${section}&${asOf}`)
      expect.soft([day.headers['x-release'], rowsOf(day.json())], slug).toEqual([expected[0], [{ [column]: before }]])
    }
  })

  it('as_of with a time of day selects the release that was served at that time', async () => {
    const slug = 'institutional-positioning'
    const [first, second] = s.releasesOf(slug)
    const published = async (id: string) => (await s.releases.pinned(s.dataset(slug), id)).manifest.published_at
    const justBefore = (time: string): string => new Date(Date.parse(time) - 1).toISOString()
    for (const [time, release] of [
      [await published(first), first],
      [justBefore(await published(second)), first],
      [await published(second), second],
      [`${SECOND_DAY}T19:00:00+08:00`, first],
      [`${SECOND_DAY}T11:00:00Z`, first],
      [`${SECOND_DAY}T19:00:00`, first],
      [`${SECOND_DAY}T23:59:59.999+08:00`, second],
      [TODAY, second],
    ] as const)
      expect
        .soft((await get(`/v2/datasets/${slug}?symbol=2330&as_of=${encodeURIComponent(time)}`)).headers['x-release'], time)
        .toBe(release)
  })

  it('a read as of a past day costs as much as a current read, and supports dry runs, HEAD and If-None-Match', async () => {
    const path = withColumn(s.datasets[0]!, `&as_of=${FIRST_DAY}`)
    const [first] = s.releasesOf('institutional-positioning')
    const answer = await get(path)
    expect(answer.headers['x-credits-charged']).toBe((await get(withColumn(s.datasets[0]!))).headers['x-credits-charged'])
    expect((await get(`${path}&dry_run=true`)).json()).toMatchObject({ release: first, rows: 1, would_be_refused: false })
    const head = await s.app.inject({ method: 'HEAD', url: path, headers: { 'x-api-key': key } })
    expect([head.statusCode, head.headers['etag'], head.headers['x-as-of']]).toEqual([200, answer.headers['etag'], FIRST_DAY])
    const again = await get(path, { 'if-none-match': String(answer.headers['etag']) })
    expect([again.statusCode, again.headers['x-release'], again.headers['x-as-of'], again.headers['x-credits-charged']]).toEqual([
      304,
      first,
      FIRST_DAY,
      '0',
    ])
    expect(answer.headers['cache-control']).toBe((await get(withColumn(s.datasets[0]!, `&release=${first}`))).headers['cache-control'])
    expect((await get(withColumn(s.datasets[0]!, `&as_of=${SECOND_DAY}`))).headers['etag']).not.toBe(answer.headers['etag'])
  })
})

describe('refusals', () => {
  const PATH = '/v2/datasets/institutional-positioning'

  it('as_of before the first release is refused, and the error names the first possible day', async () => {
    for (const path of [
      `${PATH}?symbol=2330`,
      `${PATH}/cross-section?date=2026-06-29`,
      `${PATH}/profile?symbol=2330`,
      `${PATH}/parts?symbol=2330`,
    ])
      expect.soft(await errorOf(`${path}&as_of=2026-06-29`), path).toMatchObject({
        status: 422,
        error_code: 'invalid_parameter',
        first_day: FIRST_DAY,
        detail: [{ loc: ['query', 'as_of'], type: 'range', msg: expect.stringContaining(`${FIRST_DAY} or later`) }],
      })
    const early = `${FIRST_DAY}T19:59:59%2B08:00`
    expect((await errorOf(`${PATH}?symbol=2330&as_of=${early}`)).first_day).toBe(FIRST_DAY)
    expect((await get(`${PATH}?symbol=2330&as_of=2026-06-29&dry_run=true`)).json()).toMatchObject({
      would_be_refused: true,
      refusal: { status: 422, error: { first_day: FIRST_DAY } },
    })
  })

  it('as_of after today is refused', async () => {
    const fault = { loc: ['query', 'as_of'], type: 'range', msg: `as_of must not be after today (${TODAY} in Taipei)` }
    for (const asOf of ['2026-07-03', '2026-07-03T00:00:00%2B08:00'])
      for (const path of [`${PATH}?symbol=2330`, `${PATH}/parts?symbol=2330`])
        expect.soft(await errorOf(`${path}&as_of=${asOf}`), `${path} ${asOf}`).toMatchObject({ status: 422, detail: [fault] })
  })

  it('as_of together with release is refused, and the error names both parameters', async () => {
    const [first] = s.releasesOf('institutional-positioning')
    for (const path of [
      `${PATH}?symbol=2330`,
      `${PATH}/cross-section?date=2026-06-29`,
      `${PATH}/profile?symbol=2330`,
      `${PATH}/parts?symbol=2330`,
    ])
      for (const release of [first, 'unknown'])
        expect.soft(await errorOf(`${path}&as_of=${FIRST_DAY}&release=${release}`), path).toMatchObject({
          status: 422,
          error_code: 'invalid_parameter',
          error_message: expect.stringMatching(/^as_of and release /),
        })
  })

  it('if as_of and another parameter are invalid, one error lists both', async () => {
    for (const asOf of ['yesterday', '2026-02-30', '2026', '2026-06-30T25:00', '']) {
      const { status, detail } = await errorOf(`${PATH}?symbol=2330&limit=0&as_of=${asOf}`)
      expect.soft(status, asOf).toBe(422)
      expect.soft(detail.map(({ loc, type }: { loc: string[]; type: string }) => [loc[1], type]).sort(), asOf).toEqual([
        ['as_of', 'timestamp'],
        ['limit', 'int_range'],
      ])
    }
    expect((await errorOf(`${PATH}?symbol=2330&as_of=${FIRST_DAY}&as_of=${SECOND_DAY}`)).detail[0].type).toBe('repeated_parameter')
  })
})

describe('pages', () => {
  const SLUG = 'daily-prices'
  const PATH = `/v2/datasets/${SLUG}?symbol=1101&columns=volume&limit=3`
  const DAYS = weekdays('2026-06-01', 7)
  const nextOf = (response: { readonly headers: Readonly<Record<string, unknown>> }): string | undefined =>
    /<([^>]+)>; rel="next"/.exec(String(response.headers['link']))?.[1]
  const pagesFrom = async (path: string, between: () => Promise<unknown> = async () => {}) => {
    const pages: { readonly release: unknown; readonly asOf: unknown; readonly values: readonly unknown[] }[] = []
    for (let next: string | undefined = path; next !== undefined; ) {
      const response = await get(next)
      expect(response.statusCode).toBe(200)
      pages.push({
        release: response.headers['x-release'],
        asOf: response.headers['x-as-of'],
        values: rowsOf(response.json()).map(({ volume }) => volume),
      })
      next = nextOf(response)
      if (pages.length === 1) await between()
    }
    return pages
  }

  it('if as_of is a past day, the links to the next pages contain the same as_of', async () => {
    const release = await s.publishOn(
      SLUG,
      DAYS.map((day, index) => quote('1101', day, index + 1)),
      '2026-07-02',
    )
    await s.publishOn(
      SLUG,
      DAYS.map((day, index) => quote('1101', day, 100 + index)),
      '2026-07-03',
    )
    const pages = await pagesFrom(`${PATH}&as_of=2026-07-02`)
    expect(pages.map(({ values }) => values)).toEqual([[7, 6, 5], [4, 3, 2], [1]])
    expect(new Set(pages.map(page => page.release))).toEqual(new Set([release]))
    expect(new Set(pages.map(page => page.asOf))).toEqual(new Set(['2026-07-02']))
  })

  it('pages as of the current day come from one release, even if another release is published between two pages', async () => {
    const former = s.releases.current(s.dataset(SLUG)).id
    s.setTime('2026-07-06T12:00:00Z')
    const between = () =>
      s.publishOn(
        SLUG,
        DAYS.map((day, index) => quote('1101', day, 1_000 + index)),
        '2026-07-06',
      )
    const pages = await pagesFrom(`${PATH}&as_of=2026-07-06`, between)
    expect(pages.map(({ values }) => values)).toEqual([[106, 105, 104], [103, 102, 101], [100]])
    expect(new Set(pages.map(page => page.release))).toEqual(new Set([former]))
    expect(pages.map(({ asOf }) => String(asOf).slice(0, 10))).toEqual(Array(3).fill('2026-07-06'))
    expect((await get(`${PATH}&as_of=2026-07-06`)).headers['x-release']).toBe(s.releases.current(s.dataset(SLUG)).id)
  })

  it('the links and the next pages of a get_rows answer have the requested as_of', async () => {
    const agent = await agentAt(url, key)
    const args = { dataset: SLUG, columns: ['volume'], filters: { symbol: '1101' }, limit: 4, as_of: '2026-07-02' }
    const first = (await agent.call('get_rows', args)).answer
    expect(first).toMatchObject({ as_of: '2026-07-02', total: 7, rows: [[7], [6], [5], [4]] })
    expect(new URL(first.download.csv_url).searchParams.get('as_of')).toBe('2026-07-02')
    const rest = (await agent.call('get_rows', { ...args, cursor: first.next_cursor })).answer
    expect(rest).toMatchObject({ as_of: '2026-07-02', release: first.release, rows: [[3], [2], [1]], next_cursor: null })
    await agent.close()
  })

  it('all pages of client.pages in the TypeScript client have the requested as_of', async () => {
    const client = createClient({ baseUrl: url, apiKey: key })
    const pages = await all(client.pages(SLUG, { symbol: '1101', columns: ['volume'], limit: 3, as_of: '2026-07-02' }))
    expect(pages.flatMap(({ rows }) => rows.map(({ volume }) => volume))).toEqual([7, 6, 5, 4, 3, 2, 1])
    expect(new Set(pages.map(({ asOf }) => asOf))).toEqual(new Set(['2026-07-02']))
  })
})

describe('files, tables, agents and commands', () => {
  it('a list of parts with as_of lists the release of that day, and warns if rows may have been announced later', async () => {
    for (const { slug } of s.datasets) {
      const [first] = s.releasesOf(slug)
      const response = await get(`/v2/datasets/${slug}/parts?as_of=${FIRST_DAY}`)
      const { manifest } = await s.releases.pinned(s.dataset(slug), first)
      const { release, as_of, data, warnings } = response.json()
      expect.soft([release, as_of, response.headers['x-as-of']], slug).toEqual([first, FIRST_DAY, FIRST_DAY])
      expect
        .soft(
          data.map(({ sha256 }: { sha256: string }) => sha256),
          slug,
        )
        .toEqual(manifest.parts.map(({ sha256 }) => sha256))
      const label = 'rows_not_filtered_by_as_of'
      expect
        .soft([warnings.includes(label), String(response.headers['x-warnings']).includes(label)], slug)
        .toEqual(Array(2).fill(slug === 'earnings'))
    }
    expect((await get(`/v2/datasets/earnings/parts?as_of=${FIRST_DAY}&dry_run=true`)).json().release).toBe(s.releasesOf('earnings')[0])
    expect((await get('/v2/datasets/earnings/parts')).json().warnings).not.toContain('rows_not_filtered_by_as_of')
  })

  it('a query of a shared table finds the release of a past day by timestamp, and refuses as_of', async () => {
    const table = '/delta-sharing/shares/pro/schemas/twmd/tables/earnings/query'
    const query = (payload: object) => s.app.inject({ method: 'POST', url: table, headers: { authorization: `Bearer ${key}` }, payload })
    const shared = await query({ timestamp: `${FIRST_DAY}T23:59:59.999+08:00` })
    expect(shared.headers['x-release']).toBe(s.releasesOf('earnings')[0])
    const refused = await query({ as_of: FIRST_DAY })
    expect([refused.statusCode, refused.json().message]).toEqual([422, expect.stringContaining('send timestamp instead')])
  })

  it('get_rows returns rows and files as of a day, and describe_dataset explains as_of', async () => {
    const agent = await agentAt(url, key)
    for (const { slug, column, before, query } of s.datasets) {
      const [name = '', value] = query.split('=')
      const { answer } = await agent.call('get_rows', { dataset: slug, columns: [column], filters: { [name]: value }, as_of: FIRST_DAY })
      expect.soft(answer, slug).toMatchObject({ rows: [[before]], release: s.releasesOf(slug)[0], as_of: FIRST_DAY })
    }
    const files = (await agent.call('get_rows', { dataset: 'earnings', files: true, as_of: FIRST_DAY })).answer
    expect(files).toMatchObject({ release: s.releasesOf('earnings')[0], as_of: FIRST_DAY })
    expect(files.warnings).toContain('rows_not_filtered_by_as_of')
    const refused = (
      await agent.call('get_rows', { dataset: 'earnings', columns: ['eps'], filters: { symbol: '2330' }, as_of: '2020-01-01' })
    ).answer
    expect(refused.error).toMatchObject({ error_code: 'invalid_parameter', first_day: FIRST_DAY })
    expect((await agent.call('describe_dataset', { dataset: 'earnings' })).answer.dataset.as_of).toContain('announcement_date')
    await agent.close()
  })

  it('client.read of the TypeScript client accepts as_of', async () => {
    const client = createClient({ baseUrl: url, apiKey: key })
    const page = await client.read('earnings', { symbol: '2330', columns: ['eps'], as_of: FIRST_DAY })
    expect(page).toMatchObject({ rows: [{ eps: 10.5 }], release: s.releasesOf('earnings')[0], asOf: FIRST_DAY })
    expect((await client.read('earnings', { symbol: '2330' })).asOf).toBeNull()
  })

  it('twmd read --as-of prints the rows of the day', async () => {
    const args = ['read', 'earnings', '--symbol', '2330', '--columns', 'eps', '--format', 'csv', '--as-of', FIRST_DAY]
    const { code, stdout } = await runTwmd(s.dir, args, { TWMD_URL: url, TWMD_API_KEY: key })
    expect([code, stdout]).toEqual([0, 'eps\r\n10.5\r\n'])
  })

  it('for every dataset, the catalog states what as_of returns', async () => {
    const { data } = (await s.get('/v2/datasets')).json()
    const knownAt = Object.fromEntries(
      data.map((one: { slug: string; as_of: { known_at: string | null } }) => [one.slug, one.as_of.known_at]),
    )
    expect(knownAt).toMatchObject({ earnings: 'announcement_date', 'monthly-revenue': 'announced_by', 'daily-prices': null })
    for (const { slug, as_of, pit_support } of data) {
      expect.soft((await s.get(`/v2/datasets/${slug}/schema`)).json().as_of, slug).toEqual(as_of)
      expect.soft(pit_support, slug).toBe(as_of.known_at === null ? 'none' : 'publication_date')
    }
  })
})

describe('withdrawn and deleted releases', () => {
  const SLUG = 'institutional-positioning'
  const releaseOf = async (asOf: string) => {
    const response = await get(`/v2/datasets/${SLUG}?symbol=2330&as_of=${asOf}`)
    return response.statusCode === 200 ? response.headers['x-release'] : response.json().error
  }

  it('as_of never selects a withdrawn release, even for days on which that release was served', async () => {
    const [first, second] = s.releasesOf(SLUG)
    s.setTime('2026-07-08T12:00:00Z')
    await serveAgain(s.workspace, s.dataset(SLUG), first)
    await s.releases.refresh()
    expect(await releaseOf(SECOND_DAY)).toBe(first)
    const third = await s.publishOn(SLUG, [trade('2330', '2026-06-29', 300)], '2026-07-09')
    expect([await releaseOf(SECOND_DAY), await releaseOf('2026-07-09')]).toEqual([first, third])
    expect((await get(`/v2/datasets/${SLUG}?symbol=2330&release=${second}`)).statusCode).toBe(200)
  })

  it('if the release of an as_of day was deleted, as_of is refused, and the error states the next day with a release', async () => {
    const [first] = s.releasesOf(SLUG)
    const third = s.releases.current(s.dataset(SLUG)).id
    await s.publishOn(SLUG, [trade('2330', '2026-06-29', 400)], '2026-07-10')
    await s.publishOn(SLUG, [trade('2330', '2026-06-29', 500)], '2026-07-20')
    s.setTime('2026-08-20T12:00:00Z')
    const { retired } = await collectReleases(s.workspace, s.dataset(SLUG), { since: new Date('2026-07-15T00:00:00Z'), immediately: true })
    expect(retired).toEqual(expect.arrayContaining([first, third]))
    await s.releases.refresh()
    for (const day of [FIRST_DAY, '2026-07-09'])
      expect.soft(await releaseOf(day)).toMatchObject({ error_code: 'release_retired', first_day: '2026-07-10' })
    expect(await releaseOf('2026-07-10')).toEqual(expect.any(String))
    expect((await get(`/v2/datasets/${SLUG}/parts?as_of=2026-07-09`)).statusCode).toBe(410)
    rmSync(releasePaths(s.workspace.releases, SLUG).retired, { recursive: true, force: true })
    await s.publishOn(SLUG, [trade('2330', '2026-06-29', 600)], '2026-08-20')
    expect(await releaseOf('2026-07-09')).toMatchObject({ error_code: 'release_retired', release: third, first_day: '2026-07-10' })
  })
})
