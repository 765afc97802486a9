import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PlanId } from '../../../catalog/index.ts'
import { readEmail } from '../../../src/accounts/index.ts'
import { openControl } from '../../../src/control/index.ts'
import { type Serving, serving } from '../../fixtures/cli/twmd.ts'
import { accountsOf, inState } from '../../state/folder.ts'
import { SECRETS } from '../../support.ts'
import type { Bounds } from './case.ts'

/** An account of the attacked service, with its credentials. */
export interface Caller {
  readonly email: string
  readonly plan: PlanId
  readonly accountId: string
  readonly keyId: string
  readonly key: string
  /** Token of a session. */
  readonly token: string
}

/** A prepared data folder and its accounts. */
export interface Prepared {
  readonly dir: string
  readonly stateDb: string
  readonly callers: readonly Caller[]
}

/** Running services. They are killed when this process exits. */
const running = new Set<Serving>()
process.on('exit', () => {
  for (const { child } of running) child.kill('SIGKILL')
})

/**
 * Creates a data folder with the example rows of every dataset, and an account with a key and a
 * session for each plan.
 */
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

/**
 * Starts a service on a prepared folder. It writes mail to files in `mails`, next to the data
 * folder.
 */
export async function start({ dir }: Prepared, env: Readonly<Record<string, string>> = {}) {
  const mails = join(dir, '..', 'mails')
  mkdirSync(mails, { recursive: true })
  const served = await serving(dir, 'serve', { ...SECRETS, MAIL_URL: `file://${mails}`, ...env })
  running.add(served)
  served.child.once('exit', () => running.delete(served))
  return { ...served, pid: served.child.pid!, mails }
}

/** Clock ticks per second in `/proc/PID/stat`; the same on every Linux. */
const TICKS_A_SECOND = 100

/** Current memory of a process, RSS in bytes. Linux only. */
export const rssOf = (pid: number): number => bytesIn(pid, 'VmRSS')

const bytesIn = (pid: number, field: 'VmRSS' | 'VmHWM'): number => {
  const [, kib = 'NaN'] = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kib) * 1_024
}

/** Peak memory of a process, RSS in bytes. Linux only. */
export const peakRssOf = (pid: number): number => bytesIn(pid, 'VmHWM')

/** Processor time of a process in seconds. Linux only. */
export const processorOf = (pid: number): number => {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ').slice(11, 13).map(Number)
  return (user! + system!) / TICKS_A_SECOND
}

/** Number of open files and sockets of a process. Linux only. */
export const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

/**
 * Reads the ledger from the state file over a separate connection: every use, and the totals of the
 * three usage tables.
 */
export const ledgerOf = (stateDb: string) =>
  inState(stateDb, db => ({
    uses: db.prepare('SELECT request_id AS requestId, account_id AS accountId, credits FROM usage_ledger').all() as readonly {
      readonly requestId: string
      readonly accountId: string
      readonly credits: number
    }[],
    sums: accountsOf(db),
  }))
