import { execFileSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ended, startTwmd, twmd } from '../../../fixtures/cli/twmd.ts'
import { day, weekdays } from '../../../fixtures/publish/rows.ts'
import { releaseIds, stored } from '../../../fixtures/publish/store.ts'
import type { Answer } from '../ask.ts'
import { auditing } from '../audited.ts'
import { type Bounds, type HostileCase, type Outcome, scaled } from '../case.ts'
import { doBooksAgree } from '../invariants.ts'
import { SLUG } from '../marked.ts'
import { ledgerOf, type Prepared, prepare, start } from '../service.ts'

const TURNS = 12
const SIZE = '128m'
/** Free bytes to leave on the disk. Each turn uses the next value. */
const LEFT = [0, 65_536, 400_000, 0]
/** The service stops on a full disk in every n-th turn. */
const STOP_EVERY = 2
const READS = 60
/** Number of bytes to free before a stop: enough for unwritten usage, but not for much else. */
const USAGE_BYTES = 131_072
const BACK_MS = 30_000
const DAYS = weekdays('2026-02-02', 60)

/** Sends a request and records the answer. */
type Asking = (url: string, headers: Readonly<Record<string, string>>, body?: string) => Promise<Answer>

/** Pattern of log lines of a service on a full disk. */
const FULL = /database or disk is full|ENOSPC|No space left/

/** Mounts a disk in memory. False if this user may not mount. */
function mount(disk: string): boolean {
  mkdirSync(disk)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'twmd-hostile', disk], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

async function run(bounds: Bounds): Promise<Outcome> {
  const disk = join(bounds.folder, 'disk')
  if (!mount(disk)) return { tries: 0, failures: [], skipped: 'this user may not mount a small disk' }
  try {
    return await attack(bounds, disk)
  } finally {
    execFileSync('umount', ['-l', disk])
  }
}

/**
 * Fills a disk except for `leave` bytes.
 *
 * @returns a function that frees a number of bytes, by default all
 */
function fill(disk: string, leave: number): (bytes?: number) => void {
  const filler = join(disk, 'filler')
  const { bavail, bsize } = statfsSync(disk)
  const handle = openSync(filler, 'w')
  try {
    for (let left = bavail * bsize - leave; left > 0; left -= 65_536) writeSync(handle, Buffer.alloc(Math.min(left, 65_536)))
  } catch {
    // Another process used the remaining space.
  }
  closeSync(handle)
  return bytes => (bytes === undefined ? rmSync(filler) : truncateSync(filler, statSync(filler).size - bytes))
}

async function attack(bounds: Bounds, disk: string): Promise<Outcome> {
  const folder = prepare({ ...bounds, folder: disk }, ['max', 'max', 'max', 'max'])
  const agent = new Agent({ keepAlive: true })
  const audit = auditing(folder, { meant: ['not_writable'], fails: FULL })
  const ask: Asking = (...args) => audit.ask(agent, ...args)
  const logs: string[] = []
  const heard = { ids: new Set<string>(), lost: 0, unwritable: 0, filesKept: 0, publications: 0 }
  const failures: string[] = []
  let service = await start(folder)
  const turns = scaled(bounds, TURNS)
  for (let turn = 0; turn < turns && failures.length === 0; turn++) {
    const fault = (text: string): void => void failures.push(`turn ${turn + 1}, ${LEFT[turn % LEFT.length]} bytes left: ${text}`)
    const date = DAYS[turn]!
    const file = join(disk, `${date}.ndjson`)
    const rows = day(date, turn + 1)
      .map(row => `${JSON.stringify(row)}\n`)
      .join('')
    writeFileSync(file, rows)
    const dropped = dropFile(folder, turn)
    const before = stored(join(folder.dir, 'releases'), SLUG).release
    const free = fill(disk, LEFT[turn % LEFT.length]!)
    await reads(ask, service.url, folder, heard.ids, fault)
    const key = await ask(
      `${service.url}/v2/self-serve/api-keys`,
      { 'x-self-serve-token': folder.callers[0]!.token },
      '{"name":"full disk"}',
    )
    if (key.status === 503) heard.unwritable++
    else if (key.status !== 200) fault(`a key is answered with ${key.status}: ${key.body}`)
    await revoke(ask, service.url, folder, key)
    await refusedPublication(folder, file, before, fault)
    const watched = await ended(startTwmd(folder.dir, ['watch', '--once'], { INBOX_SETTLE_MS: '100' }))
    if (existsSync(dropped)) heard.filesKept++
    else if (watched.code !== 0) fault(`the dropped file is missing: ${watched.stderr}`)
    await reads(ask, service.url, folder, heard.ids, fault)
    if (turn % STOP_EVERY === STOP_EVERY - 1) {
      // With free space, the service writes the usage when it stops. Without free space, it reports
      // how many uses were lost.
      const isFree = turn % (2 * STOP_EVERY) === STOP_EVERY - 1
      if (isFree) free(USAGE_BYTES)
      const code = await service.stop()
      logs.push(service.output())
      if (code !== 0) fault(`the service ended with ${code}`)
      const lost = Math.max(0, ...[...service.output().matchAll(/"lost":(\d+)/g)].map(([, uses]) => Number(uses)))
      if (isFree && lost > 0) fault(`the stop lost ${lost} uses`)
      heard.lost += lost
      free()
      service = await start(folder)
    } else free()
    await withFreeSpace({ ask, url: service.url, folder, file, dropped }, fault)
    heard.publications++
    const missing = await booked(folder, heard.ids, heard.lost)
    if (missing > 0) fault(`${missing} answers are not in the ledger, ${heard.lost} were reported lost`)
    bounds.say(`${turn + 1} times with a full disk, ${heard.ids.size} answers`)
  }
  const left = existsSync(join(folder.dir, 'quarantine'))
    ? readdirSync(join(folder.dir, 'quarantine')).filter(name => name !== 'settled.ndjson')
    : []
  if (left.length > 0) failures.push(`the quarantine holds ${left.join(', ')}`)
  const { sums } = ledgerOf(folder.stateDb)
  if (!doBooksAgree(sums)) failures.push(`the books: ${JSON.stringify(sums)}`)
  agent.destroy()
  if ((await service.stop()) !== 0) failures.push('the service did not end in order')
  // The ledger is compared above, because it lacks the uses that a stop reported as lost.
  failures.push(...audit.findings([...logs, service.output()].join('')).failures)
  return {
    tries: turns,
    failures,
    figures: {
      answers: heard.ids.size,
      'reported lost': heard.lost,
      'keys refused': heard.unwritable,
      'files not yet imported': heard.filesKept,
      'publications after': heard.publications,
    },
  }
}

/**
 * Writes an inbox file before the disk is full.
 * @returns its path
 */
function dropFile({ dir }: Prepared, turn: number): string {
  const folder = join(dir, 'inbox/trading-calendar')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${turn}.csv`)
  const date = new Date(Date.UTC(2009, 0, 5 + turn)).toISOString().slice(0, 10)
  writeFileSync(`${path}.part`, `market,date,is_open,reason\nTWSE,${date},false,${turn}\n`)
  renameSync(`${path}.part`, path)
  return path
}

/** Reads must succeed on a full disk. */
async function reads(ask: Asking, url: string, { callers }: Prepared, ids: Set<string>, fault: (text: string) => void): Promise<void> {
  for (let read = 0; read < READS; read++) {
    const { status, headers, body } = await ask(`${url}/v2/datasets/${SLUG}?symbol=2330`, {
      'x-api-key': callers[read % callers.length]!.key,
    })
    if (status === 200) ids.add(headers['x-request-id']!)
    else fault(`a read is answered with ${status}: ${body}`)
  }
}

async function revoke(ask: Asking, url: string, { callers }: Prepared, made: Answer): Promise<void> {
  if (made.status !== 200) return
  const { key_id: id } = JSON.parse(String(made.body)) as { readonly key_id: string }
  await ask(`${url}/v2/self-serve/api-keys/${id}/revoke`, { 'x-self-serve-token': callers[0]!.token }, '{}')
}

/**
 * Publishes on a full disk. The publication must fail with a message about the disk, or complete.
 */
async function refusedPublication({ dir }: Prepared, file: string, before: string, fault: (text: string) => void): Promise<void> {
  const { code, stderr } = await twmd(dir, 'publish', SLUG, file)
  const { release } = stored(join(dir, 'releases'), SLUG)
  if (!existsSync(file)) fault('the file of a refused publication is missing')
  if (code === 0) return
  if (!/disk is full|ENOSPC|No space left/i.test(stderr)) fault(`the publication ended with ${code}: ${stderr}`)
  if (release !== before) fault(`${release} is served of a publication that failed`)
}

interface FreeSpace {
  readonly ask: Asking
  readonly url: string
  readonly folder: Prepared
  readonly file: string
  readonly dropped: string
}

/** Checks that all operations succeed again after space was freed. */
async function withFreeSpace({ ask, url, folder, file, dropped }: FreeSpace, fault: (text: string) => void): Promise<void> {
  const { code, stderr } = await twmd(folder.dir, 'publish', SLUG, file)
  if (code !== 0) fault(`with free space, the publication ended with ${code}: ${stderr}`)
  const { release } = stored(join(folder.dir, 'releases'), SLUG)
  if (releaseIds(join(folder.dir, 'releases'), SLUG).at(-1) !== release)
    fault(`with free space, ${release} is served and a later release exists`)
  const watched = await ended(startTwmd(folder.dir, ['watch', '--once'], { INBOX_SETTLE_MS: '100' }))
  if (watched.code !== 0 || existsSync(dropped)) fault(`with free space, the inbox ended with ${watched.code}: ${watched.stderr}`)
  const token = { 'x-self-serve-token': folder.callers[0]!.token }
  const made = await ask(`${url}/v2/self-serve/api-keys`, token, '{"name":"free space"}')
  if (made.status !== 200) fault(`with free space, a key is answered with ${made.status}: ${made.body}`)
  await revoke(ask, url, folder, made)
}

/**
 * Waits for unwritten usage.
 *
 * @returns the number of answers that are missing in the ledger, minus the reported losses
 */
async function booked({ stateDb }: Prepared, ids: ReadonlySet<string>, lost: number): Promise<number> {
  let missing = Number.POSITIVE_INFINITY
  for (const ends = performance.now() + BACK_MS; performance.now() < ends; await sleep(200)) {
    const uses = new Set(ledgerOf(stateDb).uses.map(({ requestId }) => requestId))
    missing = [...ids].filter(id => !uses.has(id)).length - lost
    if (missing <= 0) break
  }
  return missing
}

export const cases: readonly HostileCase[] = [
  {
    id: 'D4',
    tries: 'a full disk under reads, new keys, publications and the inbox, and a stop with unwritten usage',
    holds: 'reads continue on a full disk, writes are refused with the reason, and the ledger is complete after space is freed',
    minutes: 15,
    run,
  },
]
