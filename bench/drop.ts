import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, linkSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { startChild } from './child.ts'
import { folderOf } from './data.ts'
import { daysUntil } from './day-files.ts'
import { compact, DROPPED, type FeedFile, filesOf, inWords, SECURITIES } from './drop-files.ts'
import type { Served } from './server.ts'
import { type Line, median } from './table.ts'

const CLI = join(import.meta.dirname, '../src/cli/index.ts')
const HISTORY = daysUntil('2024-11-28', 60)
const DAY = '2024-11-29'
const ADJUSTED = 'adjusted-prices'
const POLL_MS = 10
const PATIENCE_MS = 60_000

/**
 * Drops the files of a day into the inbox. Measures the time until every dataset serves the day.
 *
 * @param runs number of repetitions
 */
export async function measureDrop(runs: number, say: (text: string) => void): Promise<readonly Line[]> {
  await makeHistory(say)
  const [served, adjusted, archived]: [number[], number[], number[]] = [[], [], []]
  for (let run = 1; run <= runs; run++) {
    say(`dropping, ${run} of ${runs}`)
    const times = await dropOnce()
    served.push(times.served)
    adjusted.push(times.adjusted)
    archived.push(times.archived)
  }
  return [
    { name: 'twelve files of a day in one drop, until all are served', measured: median(served), unit: 'ms', goal: { atMost: 3_000 } },
    { name: '  slowest of the runs', measured: Math.max(...served), unit: 'ms' },
    { name: '  until adjusted prices are', measured: median(adjusted), unit: 'ms' },
    { name: '  until the files are in the archive', measured: median(archived), unit: 'ms' },
  ]
}

async function makeHistory(say: (text: string) => void): Promise<void> {
  const [files, folder] = [`${folderOf('drop')}-days`, folderOf('drop')]
  if (existsSync(join(folder, 'made'))) return
  say('writing day files')
  for (const path of [folder, files]) rmSync(path, { recursive: true, force: true })
  for (const day of HISTORY) writeFeedFiles(files, filesOf(day))
  writeFeedFiles(files, [exRights(HISTORY.slice(-20))])
  for (const feed of readdirSync(files)) {
    say(`publishing ${feed}`)
    const [code] = await once(twmd(folder, ['ingest', feed, join(files, feed)]), 'exit')
    if (code !== 0) throw new Error(`twmd ingest ${feed} ended with code ${code}`)
  }
  rmSync(files, { recursive: true })
  writeFileSync(join(folder, 'made'), '')
}

const twmd = (dataDir: string, words: readonly string[]) =>
  spawn(process.execPath, [CLI, ...words], {
    env: { PATH: process.env['PATH'], DATA_DIR: dataDir },
    stdio: ['ignore', 'ignore', 'inherit'],
  })

async function dropOnce() {
  const folder = cloned('drop')
  const server = startChild('server.ts')
  const watcher = twmd(folder, ['watch'])
  try {
    const served = await server.ask<Served>('start', folder)
    await server.ask('rest')
    while (!existsSync(join(folder, 'inbox', '.watching'))) await sleep(POLL_MS)
    const files = writeDrafts(folder)
    await sleep(1_000)
    for (const { draft, path } of files) renameSync(draft, path)
    const began = performance.now()
    const wanted = [...DROPPED, ADJUSTED].flatMap(slug => SECURITIES.map(symbol => ({ slug, symbol })))
    const seen = new Map<string, number>()
    let archived = 0
    for (let turn = 0; seen.size < DROPPED.length + 1 || archived === 0; turn++) {
      const elapsed = performance.now() - began
      if (elapsed > PATIENCE_MS) throw new Error(`After ${PATIENCE_MS / 1_000} s only ${[...seen.keys()].join(', ')} were served`)
      if (archived === 0 && files.every(({ path }) => !existsSync(path))) archived = elapsed
      const [next] = wanted
      if (next && (await isServed(served, turn, next))) {
        wanted.shift()
        if (!wanted.some(({ slug }) => slug === next.slug)) seen.set(next.slug, performance.now() - began)
      } else await sleep(POLL_MS)
    }
    return { served: Math.max(...DROPPED.map(slug => seen.get(slug)!)), adjusted: seen.get(ADJUSTED)!, archived }
  } finally {
    watcher.kill()
    await Promise.all([server.stop(), watcher.exitCode === null ? once(watcher, 'exit') : undefined])
    rmSync(folder, { recursive: true, force: true })
  }
}

async function isServed(
  { url, keys }: Served,
  turn: number,
  { slug, symbol }: { readonly slug: string; readonly symbol: string },
): Promise<boolean> {
  const read = `${url}/v2/datasets/${slug}?symbol=${symbol}&start_date=${DAY}&end_date=${DAY}&limit=1`
  const { statusCode, body } = await request(read, { headers: { 'x-api-key': keys[turn % keys.length]! } })
  const text = await body.text()
  if (statusCode !== 200 && statusCode !== 404) throw new Error(`${read} was answered ${statusCode}`)
  return text.includes(`"trade_date":"${DAY}"`)
}

function writeDrafts(folder: string) {
  return filesOf(DAY).map(({ feed, name, content }) => {
    const home = join(folder, 'inbox', 'feeds', feed)
    mkdirSync(home, { recursive: true })
    const [draft, path] = [join(home, `.${name}`), join(home, name)]
    writeFileSync(draft, content)
    return { draft, path }
  })
}

/** The copy contains hard links, because Parquet files never change. */
export function cloned(name: 'drop' | 'computed'): string {
  const [from, to] = [folderOf(name), `${folderOf(name)}-run`]
  rmSync(to, { recursive: true, force: true })
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, filter: path => statSync(path).isDirectory() || !path.endsWith('.parquet') })
  for (const path of readdirSync(from, { recursive: true, encoding: 'utf8' }))
    if (path.endsWith('.parquet') && !existsSync(join(to, path))) linkSync(join(from, path), join(to, path))
  return to
}

function exRights(days: readonly string[]): FeedFile {
  const fields = [
    '資料日期',
    '股票代號',
    '股票名稱',
    '除權息前收盤價',
    '除權息參考價',
    '權值+息值',
    '權/息',
    '漲停價格',
    '跌停價格',
    '開盤競價基準',
    '減除股利參考價',
  ]
  const data = days.map((day, at) => [
    inWords(day),
    String(1_000 + at),
    `測試${1_000 + at}`,
    '100.00',
    '97.50',
    '2.500000',
    '息',
    '107.00',
    '87.80',
    '97.50',
    '97.50',
  ])
  const content = JSON.stringify({
    stat: 'OK',
    strDate: compact(days[0]!),
    endDate: compact(days.at(-1)!),
    title: `${inWords(days[0]!)}至${inWords(days.at(-1)!)} 除權除息計算結果表`,
    fields,
    data,
    total: data.length,
  })
  return { feed: 'twse-ex-rights', name: `ex-rights_${compact(days[0]!)}.json`, content }
}

function writeFeedFiles(folder: string, files: readonly FeedFile[]): readonly string[] {
  return files.map(({ feed, name, content }) => {
    const home = join(folder, feed)
    mkdirSync(home, { recursive: true })
    writeFileSync(join(home, name), content)
    return join(home, name)
  })
}
