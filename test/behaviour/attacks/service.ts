import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PlanId } from '../../../catalog/index.ts'
import { readEmail } from '../../../src/accounts/index.ts'
import { openControl } from '../../../src/control/index.ts'
import { type Serving, serving } from '../../fixtures/cli/twmd.ts'
import { accountsOf, inState } from '../../state/folder.ts'
import { SECRETS } from '../../support.ts'
import type { Bounds } from './case.ts'

/** An account of the attacked service, with what it calls by. */
export interface Caller {
  readonly email: string
  readonly plan: PlanId
  readonly accountId: string
  readonly keyId: string
  readonly key: string
  /** Of a signed-in session. */
  readonly token: string
}

/** A prepared data folder and what lies in it. */
export interface Prepared {
  readonly dir: string
  readonly stateDb: string
  readonly callers: readonly Caller[]
}

/** Processes that run now; they end with this one, however it ends. */
const running = new Set<Serving>()
process.on('exit', () => {
  for (const { child } of running) child.kill('SIGKILL')
})

/** A data folder of its own with every dataset's example rows, and an account, a key and a session for each plan named. */
export function prepare({ folder, examples }: Pick<Bounds, 'folder' | 'examples'>, plans: readonly PlanId[]): Prepared {
  const dir = join(folder, 'data')
  cpSync(examples, dir, { recursive: true })
  const stateDb = join(dir, 'state.sqlite')
  const control = openControl({ stateDb }, SECRETS)
  const now = new Date()
  const callers = plans.map((plan, index) => {
    const email = `${plan}${index}@example.test`
    const { id: accountId } = control.accounts.ensure(readEmail(email)!, now)
    control.accounts.grantPlan(accountId, plan, {}, now)
    const { keyId, secret: key } = control.keys.issue(accountId, 'hostile', now)
    return { email, plan, accountId, keyId, key, token: control.sessions.open(accountId, now).token }
  })
  control.close()
  return { dir, stateDb, callers }
}

/** Starts a service on a prepared folder; it writes mails as files into `mails` beside the data. */
export async function start({ dir }: Prepared, env: Readonly<Record<string, string>> = {}) {
  const mails = join(dir, '..', 'mails')
  mkdirSync(mails, { recursive: true })
  const served = await serving(dir, 'serve', { ...SECRETS, MAIL_URL: `file://${mails}`, ...env })
  running.add(served)
  served.child.once('exit', () => running.delete(served))
  return { ...served, pid: served.child.pid!, mails }
}

/** Of the kernel, in what it tells of processes; the same on every Linux. */
const TICKS_A_SECOND = 100

/** Memory a process holds now, RSS in bytes. Linux alone. */
export const rssOf = (pid: number): number => bytesIn(pid, 'VmRSS')

const bytesIn = (pid: number, line: 'VmRSS' | 'VmHWM'): number => {
  const [, kib = 'NaN'] = new RegExp(`^${line}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kib) * 1_024
}

/** The most memory a process has held since it began, RSS in bytes. Linux alone. */
export const peakRssOf = (pid: number): number => bytesIn(pid, 'VmHWM')

/** Seconds of processor time a process has used. Linux alone. */
export const processorOf = (pid: number): number => {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ').slice(11, 13).map(Number)
  return (user! + system!) / TICKS_A_SECOND
}

/** Files and sockets a process has open. Linux alone. */
export const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

/** What a ledger holds, read from the state file over a connection of its own: each use by its request, and the sums of its three books. */
export const ledgerOf = (stateDb: string) =>
  inState(stateDb, db => ({
    uses: db.prepare('SELECT request_id AS requestId, account_id AS accountId, credits FROM usage_ledger').all() as readonly {
      readonly requestId: string
      readonly accountId: string
      readonly credits: number
    }[],
    sums: accountsOf(db),
  }))
