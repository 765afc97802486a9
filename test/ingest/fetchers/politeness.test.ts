import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { CHECKOUT } from '../../fixtures/cli/twmd.ts'
import { fetchSetup, source } from '../../fixtures/fetch/source.ts'

let f: Awaited<ReturnType<typeof fetchSetup>>
let times: number[]
beforeEach(async () => {
  times = []
  f = await fetchSetup({
    pauseMs: 3_000,
    reply: () => {
      times.push(f.clock().getTime())
      return 'rows'
    },
  })
})
afterEach(() => f.close())

const fetchOne = (by = f.fetcher, host = 'www.twse.com.tw') =>
  by.fetch({ url: `https://${host}/x` }, { mostBytes: 100, judge: () => ({ good: true }) })
const gaps = (): readonly number[] => times.slice(1).map((at, index) => at - times[index]!)

it('the fetcher sends one request per host in three seconds, at uneven intervals', async () => {
  for (let count = 0; count < 5; count++) await fetchOne()
  expect(gaps()).toEqual([3_750, 3_750, 3_750, 3_750])
  const uneven = f.fetcherFor({ deps: { clock: f.clock, sleep: async ms => f.pass(ms), random: () => 0 } })
  await fetchOne(uneven)
  await fetchOne(uneven)
  await uneven.close()
  expect(gaps().slice(4)).toEqual([3_750, 3_000])
})

it('two fetchers of one data folder share the pause between requests', async () => {
  const other = f.fetcherFor()
  await Promise.all([fetchOne(), fetchOne(other), fetchOne(), fetchOne(other)])
  await other.close()
  expect(gaps().every(gap => gap >= 3_000)).toBe(true)
  expect(times).toHaveLength(4)
})

it('the fetcher has at most one request in flight across all hosts', async () => {
  let running = 0
  const most: number[] = []
  f.source.reply((_, response) => {
    most.push(++running)
    setTimeout(() => {
      running--
      response.end('rows')
    }, 20)
    return undefined
  })
  const second = await source((_, response) => {
    most.push(++running)
    setTimeout(() => {
      running--
      response.end('rows')
    }, 20)
    return undefined
  })
  const bases = new Map([
    ['www.twse.com.tw', f.source.url],
    ['www.tpex.org.tw', second.url.replace('127.0.0.1', 'localhost')],
  ])
  const fetcher = f.fetcherFor({ bases })
  await Promise.all([fetchOne(fetcher), fetchOne(fetcher, 'www.tpex.org.tw')])
  await fetcher.close()
  await second.close()
  expect(most).toEqual([1, 1])
})

it("a later fetcher respects the pause after a host's failure", async () => {
  f.source.reply((_, response) => {
    response.writeHead(503)
    return ''
  })
  await expect(fetchOne()).rejects.toThrow('The next request is sent after')
  f.source.reply(() => 'rows')
  f.slept.length = 0
  const later = f.fetcherFor()
  await fetchOne(later)
  await later.close()
  expect(f.slept.reduce((sum, ms) => sum + ms, 0)).toBe(240_000)
})

it('a fetcher takes over the lock of a killed process', async () => {
  const program = `import { withLock } from ${JSON.stringify(join(CHECKOUT, 'ingest/publish/index.ts'))}
    await withLock(${JSON.stringify(join(f.dir, 'fetch/hosts'))}, async () => process.kill(process.pid, 'SIGKILL'))`
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]).catch(() => undefined)
  expect(readdirSync(join(f.dir, 'fetch/hosts'))).toContain('.publishing')
  expect(Buffer.from((await fetchOne()).bytes).toString()).toBe('rows')
})
