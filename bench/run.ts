import { parseArgs } from 'node:util'
import { version } from '@duckdb/node-api'
import { measureAppend } from './append.ts'
import { measureBackfill } from './backfill.ts'
import { measureBrowser } from './browser.ts'
import { measureCatalog } from './catalog.ts'
import { type Child, startChild } from './child.ts'
import { measureCold } from './cold.ts'
import { measureComputed } from './computed.ts'
import { measureCrossSection } from './cross-section.ts'
import { folderOf, type Size } from './data.ts'
import { measureDrop } from './drop.ts'
import { measureEncoder } from './encode.ts'
import { ensureData, rowsOf, say } from './ensure-data.ts'
import { measureFiles } from './files.ts'
import { measureGrown } from './grown.ts'
import { measureHistory } from './history.ts'
import { measureLatency } from './latency.ts'
import { measureLong } from './long.ts'
import { measureMetering } from './metering.ts'
import { measureOptions } from './options.ts'
import { measurePages } from './pages.ts'
import { measureDifferent } from './peers/different.ts'
import { measurePeers } from './peers/measure.ts'
import { measureRepeated } from './peers/repeated.ts'
import { measureWhole } from './peers/whole.ts'
import { measurePoint, type Services } from './point.ts'
import { measureQuery } from './query.ts'
import { measureRates } from './rates.ts'
import { measureScreener } from './screener.ts'
import { measureSearch } from './search.ts'
import type { Served } from './server.ts'
import { measureShedding } from './shedding.ts'
import { type Line, machine, tableOf } from './table.ts'

/** Only the part `grown` uses the largest size. */
type Main = Exclude<Size, 'grown'>

/**
 * Number of repetitions of each part, by size.
 *
 * One number is a number of rounds, reads or searches, or the seconds of a load. The meaning of two
 * numbers depends on the part:
 *
 * - `load`, `files`, `peers`: rounds and seconds
 * - `cold`: starts and reads
 * - `long`: long answers and point reads
 * - `metering`: rounds and requests
 * - `browser`: visits and point reads
 */
const EFFORT = {
  full: {
    point: 1_000,
    query: 500,
    encoder: 9,
    load: [3, 3],
    files: [5, 2],
    peers: [6, 3],
    latency: 3,
    whole: 3,
    cold: [5, 400],
    long: [12, 2_000],
    metering: [9, 8_000],
    search: 500,
    browser: [9, 4_000],
    pages: 5,
    shedding: 8,
    drop: 3,
    grown: 600,
    options: 4_000,
    screener: 100,
  },
  small: {
    point: 200,
    query: 100,
    encoder: 3,
    load: [1, 1],
    files: [2, 1],
    peers: [1, 2],
    latency: 2,
    whole: 2,
    cold: [2, 100],
    long: [3, 400],
    metering: [5, 2_000],
    search: 100,
    browser: [3, 800],
    pages: 1,
    shedding: 3,
    drop: 1,
    grown: 100,
    options: 200,
    screener: 20,
  },
} as const

const SIZES_OF: Readonly<Record<Main, readonly Size[]>> = { full: ['small', 'full'], small: ['small'] }
const CATALOG_REQUESTS = 2_000
const MIB = 2 ** 20

async function measureReads(main: Main): Promise<readonly Line[]> {
  const effort = EFFORT[main]
  const sizes = SIZES_OF[main]
  const servers: readonly Child[] = sizes.map(() => startChild('server.ts'))
  try {
    const services: Services = await Promise.all(
      sizes.map(async (size, index) => [size, await servers[index]!.ask<Served>('start', folderOf(size))] as const),
    )
    for (const server of servers) await server.ask('rest')
    const point = await measurePoint(services, effort.point)
    say('requests a second')
    const rates = await measureRates(main, services.at(-1)![1], point.bytes, effort.load)
    const rss = await servers.at(-1)!.ask<number>('rss')
    return [...point.lines, ...rates, { name: 'server memory after the load, RSS', measured: rss / MIB, unit: 'MiB' }]
  } finally {
    await Promise.all(servers.map(server => server.stop()))
  }
}

/** In the order of the printed table. */
const PARTS: Readonly<Record<string, (main: Main) => Promise<readonly Line[]>>> = {
  reads: measureReads,
  peers: async main => [...(await measurePeers(main, EFFORT[main].peers, say)), ...(await measureRepeated(main, EFFORT[main].peers))],
  different: main => measureDifferent(main, say),
  latency: main => measureLatency(main, EFFORT[main].latency, say),
  whole: main => measureWhole(main, EFFORT[main].whole, say),
  cold: main => measureCold(main, EFFORT[main].cold),
  long: main => measureLong(main, EFFORT[main].long),
  files: main => measureFiles(main, EFFORT[main].files, say),
  'cross-section': main => measureCrossSection(main, EFFORT[main].query),
  query: main => measureQuery(main, EFFORT[main].query),
  encoder: main => measureEncoder(main, EFFORT[main].encoder),
  metering: main => measureMetering(EFFORT[main].metering),
  catalog: () => measureCatalog(CATALOG_REQUESTS),
  search: main => measureSearch(EFFORT[main].search),
  shedding: main => measureShedding(main, EFFORT[main].shedding),
  append: measureAppend,
  computed: main => measureComputed(main, say),
  options: main => measureOptions(main, EFFORT[main].options, say),
  screener: main => measureScreener(main, EFFORT[main].screener),
  drop: main => measureDrop(EFFORT[main].drop, say),
  history: measureHistory,
  backfill: main => measureBackfill(main, say),
  browser: main => measureBrowser(main, EFFORT[main].browser),
  pages: main => measurePages(EFFORT[main].pages, say),
}
/** This part runs only if named, because generating the rows takes very long. */
const GROWN = 'grown'
const EVERY_PART: typeof PARTS = {
  ...PARTS,
  [GROWN]: async main => {
    await ensureData(GROWN)
    return measureGrown(main, EFFORT[main].grown)
  },
}

const { values } = parseArgs({ options: { rows: { type: 'string', default: 'full' }, only: { type: 'string' } } })
if (values.rows !== 'full' && values.rows !== 'small') throw new Error('--rows must be small or full')
const { only = Object.keys(PARTS).join() } = values
const wanted = only.split(',')
if (wanted.some(name => !EVERY_PART[name])) throw new Error(`--only must be of ${Object.keys(EVERY_PART).join(', ')}, separated by commas`)
const main: Main = values.rows
for (const size of SIZES_OF[main]) await ensureData(size)
const lines: Line[] = []
for (const name of wanted) {
  say(name)
  lines.push(...(await EVERY_PART[name]!(main)))
}
const load = await ensureData(main)
const made: readonly Line[] = [
  { name: 'first publication (when the data was made)', measured: load.seconds, unit: 's' },
  { name: '  publisher memory at its peak, RSS', measured: load.peak / MIB, unit: 'MiB' },
]
console.log(`${machine(version())}; ${rowsOf(main)}\n`)
console.log(tableOf([...lines, ...(values.only === undefined ? made : [])]))
