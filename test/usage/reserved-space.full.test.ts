import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, cpSync, existsSync, mkdirSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { readEmail } from '../../src/accounts/index.ts'
import { openControl } from '../../src/control/index.ts'
import { type Serving, serving } from '../fixtures/cli/twmd.ts'
import { examples } from '../fixtures/publish/examples.ts'
import { dataFolder, SECRETS } from '../support.ts'

const READS = 150

let folder: Awaited<ReturnType<typeof dataFolder>>
let disk: string
let key: string
let isMounted = false
beforeAll(async () => {
  folder = await dataFolder()
  disk = join(folder.dir, 'disk')
  isMounted = mount()
  if (!isMounted) return
  cpSync(await examples(), folder.dir, { recursive: true })
  const control = openControl({ stateDb: stateDb() }, SECRETS)
  const { id } = control.accounts.ensure(readEmail('full@example.test')!, new Date())
  control.accounts.grantPlan(id, 'max', {}, new Date())
  key = control.keys.issue(id, 'test', new Date()).secret
  control.close()
})
afterAll(async () => {
  if (isMounted) execFileSync('umount', ['-l', disk])
  await folder.remove()
})

/**
 * Mounts a disk in memory.
 * @returns false if this user may not
 */
function mount(): boolean {
  mkdirSync(disk)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'twmd-test', disk], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const stateDb = (): string => join(disk, 'state.sqlite')
const reserve = (): string => `${stateDb()}.owed.reserve`
const filler = (): string => join(disk, 'filler')

let running: Serving | undefined
async function start(): Promise<Serving> {
  running = await serving(folder.dir, 'serve', { ...SECRETS, STATE_DB: stateDb() })
  return running
}
// A failed test may leave a running service and a full disk.
afterEach(() => {
  running?.child.kill('SIGKILL')
  rmSync(filler(), { force: true })
})

/** Writes until the disk is full. */
function fill(): void {
  const file = openSync(filler(), 'a')
  for (let size = 65_536; size >= 1; )
    try {
      writeSync(file, Buffer.alloc(size))
    } catch {
      size = Math.floor(size / 2)
    }
  closeSync(file)
}

async function read(url: string): Promise<string> {
  const response = await fetch(`${url}/v2/datasets/institutional-positioning?symbol=2330`, { headers: { 'x-api-key': key } })
  expect(response.status, await response.text()).toBe(200)
  return response.headers.get('x-request-id')!
}

/**
 * Reads on the full disk until uses are queued, then READS more.
 * @returns all request ids
 */
async function readOwing(url: string): Promise<readonly string[]> {
  const ids: string[] = []
  while ((await warningsOf(url)).length === 0) {
    // If the service fails to allocate the reserve, it removes a partial file, which frees space.
    fill()
    ids.push(await read(url))
  }
  for (let nth = 0; nth < READS; nth++) ids.push(await read(url))
  return ids
}

async function warningsOf(url: string): Promise<readonly string[]> {
  const response = await fetch(`${url}/readyz`)
  expect(response.status).toBe(200)
  return ((await response.json()) as { warnings: readonly string[] }).warnings
}

/** Request ids in the ledger. */
function bookedIds(): readonly string[] {
  const control = openControl({ stateDb: stateDb() }, SECRETS)
  const ids = control.db.prepare<[], string>('SELECT request_id FROM usage_ledger').pluck().all()
  control.close()
  return ids
}

/** Expects that a start records all these uses once and allocates the reserve again. */
async function expectBooked(ids: readonly string[]): Promise<void> {
  const service = await start()
  const booked = bookedIds()
  expect(ids.filter(id => !booked.includes(id))).toEqual([])
  expect(existsSync(`${stateDb()}.owed`)).toBe(false)
  await vi.waitUntil(() => existsSync(reserve()))
  expect(await service.stop()).toBe(0)
}

it.for(['a killed process', 'a stop'])(
  'uses of reads on a full disk are recorded later, /readyz warns of the full disk, and %s loses no use',
  { timeout: 180_000 },
  async (end, context) => {
    if (!isMounted) context.skip('this user may not mount a small file system')
    const service = await start()
    await vi.waitUntil(() => existsSync(reserve()), { timeout: 30_000 })
    const { size, blocks, mode } = statSync(reserve())
    expect([blocks * 512 >= size, mode & 0o777]).toEqual([true, 0o600])
    fill()
    const ids = await readOwing(service.url)
    expect(await warningsOf(service.url)).toEqual([
      expect.stringMatching(/^1[5-9]\d charged answers are not in the state file yet\. Free disk space/),
    ])
    if (end === 'a killed process') {
      service.child.kill('SIGKILL')
      await once(service.child, 'exit')
    } else {
      expect(await service.stop()).toBe(0)
      expect(service.output()).not.toContain('"lost"')
    }
    const booked = bookedIds()
    expect(ids.filter(id => !booked.includes(id)).length).toBeGreaterThanOrEqual(READS)
    rmSync(filler())
    await expectBooked(ids)
  },
)

it('if a stop loses uses although space was reserved, the service logs their number and exits with code 1', async context => {
  if (!isMounted) context.skip('this user may not mount a small file system')
  const service = await start()
  await vi.waitUntil(() => existsSync(reserve()), { timeout: 30_000 })
  // A commit in the meantime may allocate the reserve again.
  while (existsSync(reserve())) {
    rmSync(reserve())
    fill()
  }
  const ids = await readOwing(service.url)
  expect(await warningsOf(service.url)).toEqual([expect.stringMatching(/; a stop would lose 1[5-9]\d of them\. Free disk space/)])
  expect(await service.stop()).toBe(1)
  const lost = Number(/"lost":(\d+)/.exec(service.output())?.[1])
  rmSync(filler())
  const booked = bookedIds()
  expect(ids.filter(id => !booked.includes(id))).toHaveLength(lost)
}, 180_000)
