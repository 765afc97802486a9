import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { releasePaths } from '../../../../src/releases/index.ts'
import { ended, startTwmd, twmd } from '../../../fixtures/cli/twmd.ts'
import { watcherKilled } from '../../../fixtures/ingest/killed-watcher.ts'
import { damagedParts, lineageSources, releaseIds, sha256, stored } from '../../../fixtures/publish/store.ts'
import { auditing } from '../audited.ts'
import { type Bounds, type HostileCase, type Outcome, scaled } from '../case.ts'
import { DAYS, marked, readMarked, SLUG, TICKERS } from '../marked.ts'
import { ledgerOf, prepare, start } from '../service.ts'

const KILLS = 200
/**
 * Number of kinds: a publication and a watcher are killed alternately, each at least once at any
 * scale.
 */
const KINDS = 2
/**
 * Maximum number of turns in which the process ended before the kill. After more turns, the case
 * fails.
 */
const MOST_TURNS = 3

async function run(bounds: Bounds): Promise<Outcome> {
  const nothing = join(bounds.folder, 'nothing')
  mkdirSync(nothing)
  const folder = prepare({ ...bounds, examples: nothing }, Array(16).fill('max'))
  const releases = join(folder.dir, 'releases')
  const inbox = join(folder.dir, 'inbox', SLUG)
  mkdirSync(inbox, { recursive: true })
  let mark = 0
  const write = (path: string): string => {
    mark++
    writeFileSync(
      path,
      marked(mark)
        .map(row => `${JSON.stringify(row)}\n`)
        .join(''),
    )
    return path
  }
  const waiting = (): readonly string[] => readdirSync(inbox).filter(name => name.endsWith('.ndjson'))
  /** Contents of the files that were dropped into the inbox. */
  const dropped: string[] = []
  const drop = (): void => {
    // Two files with equal headers would become one publication, and their rows would be
    // duplicates. So only one file waits at a time.
    if (waiting().length > 0) return
    const path = join(inbox, `${mark + 1}.ndjson`)
    dropped.push(sha256(readFileSync(write(`${path}.part`))))
    renameSync(`${path}.part`, path)
  }

  const failures: string[] = []
  const began = performance.now()
  const first = await twmd(folder.dir, 'publish', SLUG, write(join(folder.dir, 'first.ndjson')))
  if (first.code !== 0) return { tries: 0, failures: [`the first publication ended with ${first.code}: ${first.stderr}`] }
  const lasts = performance.now() - began
  const service = await start(folder)
  const audit = auditing(folder)
  const reader = readMarked(audit, service.url, folder.callers, { readers: 4, restMs: 5 })
  const kills = Math.max(KINDS, scaled(bounds, KILLS))
  const killed = { publishers: 0, watchers: 0 }
  const all = (): number => killed.publishers + killed.watchers
  for (let turn = 0; all() < kills && turn < MOST_TURNS * kills && failures.length === 0; turn++) {
    if (turn % 2 === 0) {
      if (await publisherKilled(folder.dir, write(join(folder.dir, 'next.ndjson')), Math.random() * 1.2 * lasts)) killed.publishers++
    } else {
      drop()
      if (await watcherKilled(folder.dir, Math.random())) killed.watchers++
    }
    failures.push(...faultsOnDisk(releases).map(fault => `after kill ${all()}: ${fault}`))
    if (turn % 20 === 19) bounds.say(`${all()} kills, ${reader.counts.answers} answers, ${reader.marks.size} releases read`)
  }
  const rest = await ended(startTwmd(folder.dir, ['watch', '--once'], { INBOX_SETTLE_MS: '100' }))
  if (rest.code !== 0) failures.push(`the last watch ended with ${rest.code}: ${rest.stderr}`)
  const last = await twmd(folder.dir, 'publish', SLUG, write(join(folder.dir, 'next.ndjson')))
  if (last.code !== 0) failures.push(`the last publication ended with ${last.code}: ${last.stderr}`)
  const ends = performance.now() + 20_000
  while (![...reader.marks.values()].includes(mark) && performance.now() < ends) await sleep(50)
  if (![...reader.marks.values()].includes(mark)) failures.push('the last release was not answered')
  failures.push(...(await reader.stop()), ...faultsAtTheEnd(folder.dir, releases, dropped))
  const verified = await twmd(folder.dir, 'releases', 'verify', SLUG)
  if (verified.code !== 0) failures.push(`releases verify: ${verified.stderr}`)
  if ((await service.stop()) !== 0) failures.push('the service did not end in order')
  failures.push(...audit.findings(service.output(), ledgerOf(folder.stateDb)).failures)
  const { answers, again } = reader.counts
  return {
    tries: all(),
    failures,
    figures: {
      ...killed,
      releases: releaseIds(releases, SLUG).length,
      'files dropped': dropped.length,
      answers,
      'compared by release': again,
    },
  }
}

/**
 * Starts a publication and kills it.
 *
 * @returns whether it was still running
 */
async function publisherKilled(dir: string, file: string, afterMs: number): Promise<boolean> {
  const child = startTwmd(dir, ['publish', SLUG, file])
  const gone = once(child, 'exit') as Promise<[number | null, string | null]>
  await Promise.race([gone, sleep(afterMs)])
  child.kill('SIGKILL')
  return (await gone)[1] === 'SIGKILL'
}

/**
 * Checks the served release on disk.
 * @returns the faults
 */
function faultsOnDisk(releases: string): readonly string[] {
  const { release, manifest } = stored(releases, SLUG)
  const damaged = damagedParts(releases, SLUG)
  return [
    ...(damaged.length > 0 ? [`${release} has ${damaged.length} damaged parts`] : []),
    ...(manifest.statistics.rows === DAYS.length * TICKERS.length ? [] : [`${release} has ${manifest.statistics.rows} rows`]),
  ]
}

/** Checks the folders at the end for leftovers of killed processes and for missing files. */
function faultsAtTheEnd(dir: string, releases: string, dropped: readonly string[]): readonly string[] {
  const faults: string[] = []
  const published = lineageSources(releases, SLUG).flat()
  const times = dropped.map(file => published.filter(one => one === file).length)
  if (times.some(count => count !== 1))
    faults.push(`of the files dropped, ${times.filter(count => count !== 1).length} were not published once`)
  if (new Set(published).size !== published.length) faults.push('a file was published twice')
  const archive = readdirSync(join(dir, 'archive', SLUG), { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  const archived = new Set(archive.map(entry => sha256(readFileSync(join(entry.parentPath, entry.name)))))
  const lost = dropped.filter(file => !archived.has(file))
  if (lost.length > 0 || archive.length !== dropped.length)
    faults.push(`of ${dropped.length} files dropped, ${archive.length} are in the archive and ${lost.length} are lost`)
  const { home } = releasePaths(releases, SLUG)
  const expected = new Set([...releaseIds(releases, SLUG), '_delta_log', 'current', 'months', 'parts'])
  const left = readdirSync(home).filter(name => !expected.has(name))
  if (left.length > 0) faults.push(`kills left ${left.join(', ')}`)
  return faults
}

export const cases: readonly HostileCase[] = [
  {
    id: 'D1',
    tries: 'publications and the inbox watcher killed (SIGKILL) at any point, under readers',
    holds: 'every answer comes from one whole release, no file is lost or published twice, and the next publication cleans up',
    minutes: 40,
    run,
  },
]
