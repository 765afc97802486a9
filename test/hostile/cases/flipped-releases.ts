import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLog } from '../../../src/core/index.ts'
import { openReleases } from '../../../src/releases/index.ts'
import { twmd } from '../../fixtures/cli/twmd.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { anyBit, flipBit } from '../../fixtures/releases/flip-bit.ts'
import { openTestWorkspace, publishRows } from '../../support.ts'
import { ask } from '../ask.ts'
import { type Bounds, type HostileCase, type Outcome, scaled } from '../case.ts'
import { DAYS, marked, markOf, SLUG, TICKERS } from '../marked.ts'
import { prepare, start } from '../service.ts'

/** Flips in each part under a running service, and in each other file. */
const [IN_PARTS, IN_OTHERS] = [100, 60]
/** What a running service may take to see that a file was written, on a machine that is busy. */
const SEEN_MS = 15_000
/** Answers looked at while a flip may not be found yet, and after. */
const READS = 12

/** Three releases, each of other rows; the newest is served. */
async function threeReleases(bounds: Bounds) {
  const nothing = join(bounds.folder, 'nothing')
  mkdirSync(nothing)
  const folder = prepare({ ...bounds, examples: nothing }, Array(8).fill('max'))
  const workspace = await openTestWorkspace(folder.dir)
  const dataset = workspace.catalog.get(SLUG)!
  const marks = new Map<string, number>()
  for (const mark of [1, 2, 3]) marks.set((await publishRows(workspace, folder.dir, dataset, marked(mark))).release!, mark)
  workspace.close()
  return { folder, marks, root: join(folder.dir, 'releases'), catalog: workspace.catalog }
}

type Released = Awaited<ReturnType<typeof threeReleases>>

async function run(bounds: Bounds): Promise<Outcome> {
  const released = await threeReleases(bounds)
  const { folder, root } = released
  const newest = stored(root, SLUG)
  const parts = newest.files
  const log = join(newest.paths.home, '_delta_log')
  const others = [
    ...[newest.paths.manifest, newest.paths.seal, newest.paths.spans].map(path => path(newest.release)),
    newest.paths.current,
    ...readdirSync(log).map(name => join(log, name)),
  ]
  const failures: string[] = []
  const counts = { 'in parts': 0, 'in other files': 0, 'answers under damage': 0, 'older answers': 0, 'refused under damage': 0 }
  const service = await start(folder)
  const read = readerOf(service.url, released, counts)
  for (let turn = 0; turn < scaled(bounds, IN_PARTS) && failures.length === 0; turn++) {
    const file = parts[turn % parts.length]!
    const bit = anyBit(file)
    flipBit(file, bit)
    failures.push(...(await foundWhileServing(read, newest.release)).map(fault => `bit ${bit} of ${relative(root, file)}: ${fault}`))
    flipBit(file, bit)
    if (!(await read.until(newest.release))) failures.push(`bit ${bit} of ${relative(root, file)}: mended, it is not served again`)
    counts['in parts']++
    if (turn % 20 === 19) bounds.say(`${turn + 1} flips in parts`)
  }
  const inParts = scaled(bounds, 5)
  for (let turn = 0; turn < inParts; turn++) failures.push(...(await namedByVerify(folder.dir, parts[turn % parts.length]!, root)))
  for (const file of others) {
    const whole = readFileSync(file)
    for (let turn = 0; turn < scaled(bounds, IN_OTHERS) && failures.length === 0; turn++) {
      const bit = anyBit(file)
      flipBit(file, bit)
      const faults = file.startsWith(log) ? await read.some() : [...(await read.some()), ...(await foundAtStart(released, newest.release))]
      failures.push(...faults.map(fault => `bit ${bit} of ${relative(root, file)}: ${fault}`))
      writeFileSync(file, whole)
      counts['in other files']++
    }
    if (file !== newest.paths.current) failures.push(...(await namedByVerify(folder.dir, file, root)))
    bounds.say(`flips in ${relative(root, file)}`)
  }
  read.close()
  if ((await service.stop()) !== 0) failures.push('the service did not end in order')
  return { tries: counts['in parts'] + counts['in other files'] + inParts, failures, figures: counts }
}

/** Reads every key and day in turn, and holds every row to its release. */
function readerOf(url: string, { folder, marks }: Released, counts: Record<string, number>) {
  const agent = new Agent({ keepAlive: true })
  const read = `/v2/datasets/${SLUG}`
  const paths = [
    ...TICKERS.slice(0, 10).map(ticker => [`${read}?symbol=${ticker}`, DAYS.length] as const),
    ...DAYS.map(day => [`${read}/cross-section?date=${day}`, TICKERS.length] as const),
  ]
  const newest = [...marks.keys()].at(-1)
  let turn = 0
  const one = async (query = '') => {
    const [path, rows] = paths[turn % paths.length]!
    const key = folder.callers[turn++ % folder.callers.length]!.key
    const { status, headers, body } = await ask(agent, `${url}${path}${query && `${path.includes('?') ? '&' : '?'}${query}`}`, {
      'x-api-key': key,
    })
    const [release, seen] = [headers['x-release'], markOf(String(body))]
    counts['answers under damage']!++
    if (status !== 200) counts['refused under damage']!++
    else if (release !== newest) counts['older answers']!++
    const right = status !== 200 || (seen.length === rows && seen.every(mark => mark === marks.get(release!)))
    return { status, release, fault: right ? null : `${path} of ${release}: ${seen.length} rows of ${[...new Set(seen)]}` }
  }
  const until = async (release: string, is = true): Promise<boolean> => {
    for (const ends = performance.now() + SEEN_MS; performance.now() < ends; await sleep(25)) {
      const answer = await one()
      if (answer.status === 200 && (answer.release === release) === is) return true
    }
    return false
  }
  return {
    one,
    /** Resolves once a release answers, or another than it; false where that does not come about. */
    until,
    /** What is wrong with a few answers. */
    async some(): Promise<readonly string[]> {
      const answers = await Promise.all(Array.from({ length: READS }, () => one()))
      return answers.flatMap(({ fault }) => fault ?? [])
    },
    close: () => agent.destroy(),
  }
}

/** What a running service does once a part of the served release is written: it serves an older one, and refuses the damaged one by name. */
async function foundWhileServing(read: ReturnType<typeof readerOf>, newest: string): Promise<readonly string[]> {
  if (!(await read.until(newest, false))) return ['the service goes on with the damaged release']
  const faults = [...(await read.some())]
  const { status } = await read.one(`release=${newest}`)
  if (status !== 500) faults.push(`the damaged release is answered by name with ${status}`)
  return faults
}

/** What a start makes of a damaged file: the newest release that is whole, called degraded. */
async function foundAtStart({ root, catalog, marks }: Released, newest: string): Promise<readonly string[]> {
  const releases = await openReleases({ root, catalog, log: createLog('silent') })
  releases.close()
  const { id, degraded } = releases.current(catalog.get(SLUG)!)
  const pointer = readFileSync(join(root, SLUG, 'current'), 'utf8').trim()
  if (!marks.has(id)) return [`a start serves ${id}`]
  return degraded || (id === pointer && id !== newest) ? [] : [`a start does not notice it, and serves ${id}`]
}

/** What the commands say of one flipped bit of a file. */
async function namedByVerify(dir: string, file: string, root: string): Promise<readonly string[]> {
  const bit = anyBit(file)
  flipBit(file, bit)
  const command = file.includes('_delta_log') ? ['tables', 'check', SLUG] : ['releases', 'verify', SLUG]
  const { code, stdout, stderr } = await twmd(dir, ...command)
  flipBit(file, bit)
  return code === 1 && /damaged|missing/.test(stdout + stderr)
    ? []
    : [`bit ${bit} of ${relative(root, file)}: twmd ${command.join(' ')} ended with ${code}: ${stderr || stdout}`]
}

export const cases: readonly HostileCase[] = [
  {
    id: 'D2',
    tries: 'one bit flipped, anywhere, in a part under a running service, in a manifest, its seal, spans, current and the table log',
    holds:
      'the file is named, an older release is served as degraded or nothing is; never a wrong row with 200; mended, the newest is served again',
    minutes: 20,
    run,
  },
]
