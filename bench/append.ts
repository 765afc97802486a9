import { copyFileSync, cpSync, existsSync, linkSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { releasePaths } from '../src/releases/index.ts'
import { type Child, startChild } from './child.ts'
import { dayFile, folderOf, NEXT_DAYS, type Size, SLUG, shuffled, tickersOf } from './data.ts'
import { tickersOfEveryPart } from './point.ts'
import { openRaw } from './raw.ts'
import { openReader, type Reader } from './reader.ts'
import type { Served } from './server.ts'
import { type Line, median } from './table.ts'

const READS = 300

/**
 * Measures the time from a publication to the first answer with the new release. The first appended
 * day is not measured, because its publication may create the files of all months.
 */
export async function measureAppend(size: Size): Promise<readonly Line[]> {
  const folder = cloneOf(size, 'append')
  const [server, publisher] = [startChild('server.ts'), startChild('publisher.ts')]
  try {
    const served = await server.ask<Served>('start', folder)
    await server.ask('rest')
    await publisher.ask('open', folder)
    // The service closes a connection after 10 seconds without a request.
    const reader = openReader(served)
    const [first, ...days] = NEXT_DAYS
    await appendDay(publisher, reader, dayFile(size, first!), tickersOf(size)[0]!)
    const [seen, named, published]: [number[], number[], number[]] = [[], [], []]
    const { current } = releasePaths(join(folder, 'releases'), SLUG)
    for (const day of days) {
      const times = await appendDay(publisher, reader, dayFile(size, day), tickersOf(size)[0]!)
      seen.push(times.seen)
      named.push(statSync(current).ctimeMs - times.began)
      published.push(times.published)
    }
    const later = await readBoth(folder, size, reader)
    reader.close()
    return [
      { name: 'append a day, until it is served, p50', measured: median(seen), unit: 'ms', goal: { atMost: 250 } },
      { name: '  slowest of the days', measured: Math.max(...seen), unit: 'ms' },
      { name: '  of which until `current` is replaced, p50', measured: median(named), against: median(seen), unit: 'ms' },
      { name: '  the whole command, with the table log, p50', measured: median(published), unit: 'ms' },
      { name: 'point read after that, bucket and delta, p50', measured: median(later), unit: 'ms' },
    ]
  } finally {
    await Promise.all([server.stop(), publisher.stop()])
  }
}

async function appendDay(publisher: Child, reader: Reader, file: string, ticker: string) {
  // Matches every entity tag, so that answers have no body.
  const served = async () => (await reader.read(ticker, { 'if-none-match': '*' })).release
  const before = await served()
  const began = performance.now()
  const at = performance.timeOrigin + began
  const publishing = publisher.ask<number>('publish', file)
  while ((await served()) === before) await new Promise(resolve => setTimeout(resolve, 2))
  const seen = performance.now() - began
  return { began: at, seen, published: await publishing }
}

async function readBoth(folder: string, size: Size, reader: Reader): Promise<readonly number[]> {
  const raw = await openRaw(folder)
  for (const ticker of tickersOfEveryPart(raw, size)) await reader.read(ticker)
  raw.close()
  const times: number[] = []
  for (const ticker of shuffled(tickersOf(size)).slice(0, READS)) times.push((await reader.read(ticker)).ms)
  return times
}

/** The copy contains hard links, because Parquet files never change. */
export function cloneOf(size: Size, name: 'append' | 'latency' | 'mixed' | 'options' | 'screener'): string {
  const folder = folderOf(name)
  rmSync(folder, { recursive: true, force: true })
  const [from, to] = [releasePaths(join(folderOf(size), 'releases'), SLUG), releasePaths(join(folder, 'releases'), SLUG)]
  for (const folder of ['parts', 'months'] as const) {
    if (!existsSync(from[folder])) continue
    mkdirSync(to[folder], { recursive: true })
    for (const name of readdirSync(from[folder])) linkSync(join(from[folder], name), join(to[folder], name))
  }
  for (const name of readdirSync(from.home)) {
    if (name.endsWith('Z')) cpSync(join(from.home, name), join(to.home, name), { recursive: true })
  }
  copyFileSync(from.current, to.current)
  return folder
}
