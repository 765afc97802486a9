import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { createLog } from '../../../../src/core/index.ts'
import { openReleases } from '../../../../src/releases/index.ts'
import { twmd } from '../../../fixtures/cli/twmd.ts'
import { stored } from '../../../fixtures/publish/store.ts'
import { anyBit, flipBit } from '../../../fixtures/releases/flip-bit.ts'
import { openTestWorkspace, publishRows } from '../../../support.ts'
import { auditing } from '../audited.ts'
import { type Bounds, type HostileCase, type Outcome, scaled } from '../case.ts'
import { type Judge, judging, NO_CACHES, type RightBodies, rightBodies } from '../judged.ts'
import { marked, SLUG } from '../marked.ts'
import { ledgerOf, prepare, start } from '../service.ts'

/** Number of flips in parts under a running service (half without caches), and in other files. */
const [IN_PARTS, IN_OTHERS] = [100, 60]
/** Environments of a service without and with caches. */
const SERVICES = { 'without caches': NO_CACHES, 'with caches': {} } as const
/** Reads per flip, after the service has noticed it. */
const READS = 12

/**
 * Pattern of log lines about a damaged part: from background builds, and from reads that pin its
 * release.
 */
const UNREAD = /"during":"(reading|building) |"status":500,"code":"integrity"/

/** Publishes three releases with different rows. The newest is served. */
async function threeReleases(bounds: Bounds) {
  const nothing = join(bounds.folder, 'nothing')
  mkdirSync(nothing)
  const folder = prepare({ ...bounds, examples: nothing }, Array(8).fill('max'))
  const workspace = await openTestWorkspace(folder.dir)
  const dataset = workspace.catalog.get(SLUG)!
  const marks = new Map<string, number>()
  for (const mark of [1, 2, 3]) marks.set((await publishRows(workspace, folder.dir, dataset, marked(mark))).release!, mark)
  workspace.close()
  const root = join(folder.dir, 'releases')
  const newest = stored(root, SLUG)
  // The restored modification times have only millisecond precision, so all files get such times
  // before the flips.
  for (const part of newest.files) utimesSync(part, PUBLISHED, PUBLISHED)
  return { folder, marks, root, newest, catalog: workspace.catalog }
}

const PUBLISHED = new Date('2026-07-01T12:00:00Z')

type Released = Awaited<ReturnType<typeof threeReleases>>
type Counts = Record<keyof typeof NONE, number>
const NONE = {
  'in parts': 0,
  'of those with the time restored': 0,
  'in other files': 0,
  'wrong before they were found': 0,
  'flips of which such an answer came': 0,
}

async function run(bounds: Bounds): Promise<Outcome> {
  const released = await threeReleases(bounds)
  const { folder, root, newest } = released
  const audit = auditing(folder, { meant: ['integrity'], fails: UNREAD })
  let right: RightBodies | undefined
  const [failures, counts, logs]: [string[], Counts, string[]] = [[], { ...NONE }, []]
  const log = join(newest.paths.home, '_delta_log')
  const others = [
    ...[newest.paths.manifest, newest.paths.seal, newest.paths.spans].map(path => path(newest.release)),
    newest.paths.current,
    ...readdirSync(log).map(name => join(log, name)),
  ]
  const answers = { answers: 0, older: 0, refused: 0 }
  for (const [turn, [name, caches]] of Object.entries(SERVICES).entries()) {
    const service = await start(folder, caches)
    // Recorded by the first service, while all files are intact.
    right ??= await rightBodies(audit, service.url, folder, released.marks)
    const judge = judging(audit, service.url, folder.callers, right, answers)
    const flips = scaled(bounds, IN_PARTS / 2)
    for (let flip = 0; flip < flips && failures.length === 0; flip++)
      failures.push(...(await inPart(released, judge, counts, flip, (flip + turn) % 2 === 0)).map(fault => `${name}: ${fault}`))
    bounds.say(`${counts['in parts']} flips in parts, ${name}`)
    if (turn === 0 && failures.length === 0) failures.push(...(await inOthers(bounds, released, judge, counts, others)))
    judge.close()
    if ((await service.stop()) !== 0) failures.push(`${name}: the service did not end in order`)
    logs.push(service.output())
  }
  const inParts = scaled(bounds, 5)
  for (const index of Array(inParts).keys())
    failures.push(...(await namedByVerify(folder.dir, newest.files[index % newest.files.length]!, root)))
  for (const file of others) if (file !== newest.paths.current) failures.push(...(await namedByVerify(folder.dir, file, root)))
  const found = audit.findings(logs.join(''), ledgerOf(folder.stateDb))
  return {
    tries: counts['in parts'] + counts['in other files'] + inParts,
    failures: [...failures, ...found.failures],
    figures: { ...counts, answers: answers.answers, 'of an older release': answers.older, refused: answers.refused },
  }
}

/**
 * Flips one bit of a part under a running service, and flips it back after the service has noticed.
 */
async function inPart(
  { root, newest }: Released,
  judge: Judge,
  counts: Counts,
  flip: number,
  isSilent: boolean,
): Promise<readonly string[]> {
  const file = newest.files[(flip >> 1) % newest.files.length]!
  const bit = anyBit(file)
  const write = (): void => {
    const { atime, mtime } = statSync(file)
    flipBit(file, bit)
    if (isSilent) utimesSync(file, atime, mtime)
  }
  const fault = (text: string): string =>
    `bit ${bit} of ${relative(root, file)}, ${isSilent ? 'with its time restored' : 'as written'}: ${text}`
  counts['in parts']++
  if (isSilent) counts['of those with the time restored']++
  // Subsequent reads use other parameters than all earlier ones, so no cached response matches.
  judge.next()
  write()
  const seen = await judge.until(newest.release, false)
  counts['wrong before they were found'] += seen.before.length
  if (seen.before.length > 0) counts['flips of which such an answer came']++
  const found = seen.came ? [...seen.wrong, ...(await judge.readMany(READS))] : ['the service still serves the damaged release']
  const { status } = await judge.readOne(`release=${newest.release}`)
  const named = status === 500 ? [] : [`the damaged release is answered by name with ${status}`]
  write()
  const repaired = await judge.until(newest.release)
  const again = repaired.came ? await judge.readMany() : ['it is not served again']
  return [
    ...[...found, ...named].map(text => fault(`found, ${text}`)),
    ...[...repaired.before, ...repaired.wrong, ...again].map(text => fault(`repaired, ${text}`)),
  ]
}

/**
 * Flips bits in files that the running service has already read. A restart and the commands read
 * these files again.
 */
async function inOthers(bounds: Bounds, released: Released, judge: Judge, counts: Counts, files: readonly string[]) {
  const failures: string[] = []
  const { root, newest } = released
  for (const file of files) {
    const whole = readFileSync(file)
    for (let turn = 0; turn < scaled(bounds, IN_OTHERS) && failures.length === 0; turn++) {
      const bit = bitOfText(file)
      flipBit(file, bit)
      const faults = file.includes('_delta_log')
        ? await judge.readMany(READS)
        : [...(await judge.readMany(READS)), ...(await foundAtStart(released, newest.release))]
      failures.push(...faults.map(fault => `bit ${bit} of ${relative(root, file)}: ${fault}`))
      writeFileSync(file, whole)
      counts['in other files']++
    }
    bounds.say(`flips in ${relative(root, file)}`)
  }
  return failures
}

/**
 * Any bit of a text file except those of the line end, which a flip may change to other white space
 * without effect.
 */
const bitOfText = (file: string): number => Math.floor(Math.random() * readFileSync(file, 'latin1').trimEnd().length * 8)

/**
 * Opens the release store on a damaged file. It must serve the newest intact release, and report it
 * as degraded.
 */
async function foundAtStart({ root, catalog, marks }: Released, newest: string): Promise<readonly string[]> {
  const releases = await openReleases({ root, catalog, log: createLog('silent') })
  releases.close()
  const { id, degraded } = releases.current(catalog.get(SLUG)!)
  const pointer = readFileSync(join(root, SLUG, 'current'), 'utf8').trim()
  if (!marks.has(id)) return [`a start serves ${id}`]
  return degraded || (id === pointer && id !== newest) ? [] : [`a start does not notice it, and serves ${id}`]
}

/** Checks that the commands report one flipped bit. */
async function namedByVerify(dir: string, file: string, root: string): Promise<readonly string[]> {
  const bit = file.endsWith('.parquet') ? anyBit(file) : bitOfText(file)
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
    tries:
      'one bit flipped anywhere in a part under a running service, with and without caches and with half of the modification times restored; in manifests, seals, spans, current and the table log',
    holds: 'the service names the damaged file, serves an older release or none, and serves the newest again once repaired',
    minutes: 20,
    run,
  },
]
