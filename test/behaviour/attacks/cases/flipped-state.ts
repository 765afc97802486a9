import { once } from 'node:events'
import { copyFileSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { anyBit, flipBit } from '../../../fixtures/releases/flip-bit.ts'
import type { Answer } from '../ask.ts'
import { type Audit, auditing } from '../audited.ts'
import { type Bounds, type HostileCase, type Outcome, scaled } from '../case.ts'
import { type Caller, type Prepared, prepare, start } from '../service.ts'

/**
 * Number of flips in the state file, and of rounds with one flip in every file of compiled modules.
 */
const [IN_STATE, OF_CACHES] = [60, 4]
const READ = '/v2/datasets/institutional-positioning?symbol=2330'
/**
 * Codes of 5xx answers of a service that cannot read or write an account. `/readyz` has no code.
 */
const UNREADABLE = ['not_writable', 'overloaded', 'integrity', '']
/** Pattern of log lines about a state file with a flipped bit. */
const DAMAGED = /SqliteError|malformed/
/** Allowed answers of a service that cannot read an account, or cannot read the state file. */
const REFUSED = new Set([401, 403, 404, 410, 503])

async function run(bounds: Bounds): Promise<Outcome> {
  const folder = prepare(bounds, ['max', 'pro', 'max', 'pro'])
  const failures: string[] = []
  const counts = { 'starts refused, the file named': 0, 'not ready': 0, 'answers refused': 0, 'answers right': 0, 'keys revealed right': 0 }
  const audit = auditing(folder, { meant: UNREADABLE, fails: DAMAGED })
  const logs: string[] = []
  const compiled = join(bounds.folder, 'compiled')
  mkdirSync(compiled)
  const right = await rightAnswer({ audit, logs, folder }, compiled)
  const backup = `${folder.stateDb}.kept`
  copyFileSync(folder.stateDb, backup)
  const flips = scaled(bounds, IN_STATE)
  for (let flip = 0; flip < flips; flip++) {
    for (const tail of ['', '-wal', '-shm', '.owed']) rmSync(`${folder.stateDb}${tail}`, { force: true })
    copyFileSync(backup, folder.stateDb)
    const bit = anyBit(folder.stateDb)
    flipBit(folder.stateDb, bit)
    failures.push(...(await served({ audit, logs, folder, right }, counts)).map(fault => `bit ${bit} of the state file: ${fault}`))
    if (flip % 10 === 9) bounds.say(`${flip + 1} flips in the state file: ${JSON.stringify(counts)}`)
  }
  copyFileSync(backup, folder.stateDb)
  const caches = scaled(bounds, OF_CACHES)
  for (let turn = 0; turn < caches; turn++) {
    const files = readdirSync(compiled, { recursive: true, encoding: 'utf8' }).map(name => join(compiled, name))
    for (const file of files.filter(name => statSync(name).isFile() && statSync(name).size > 0)) flipBit(file, anyBit(file))
    if ((await rightAnswer({ audit, logs, folder }, compiled)) !== right)
      failures.push('with flipped compiled modules, a read is answered otherwise')
  }
  // The ledger is not compared, because a bit of it was flipped.
  failures.push(...audit.findings(logs.join('')).failures)
  return { tries: flips + caches, failures, figures: counts }
}

/** The rows that an intact service returns. It stores compiled modules in the folder `compiled`. */
async function rightAnswer({ audit, logs, folder }: Omit<Tried, 'right'>, compiled: string): Promise<string> {
  const service = await start(folder, { NODE_COMPILE_CACHE: compiled })
  const agent = new Agent()
  const { status, body } = await audit.ask(agent, `${service.url}${READ}`, { 'x-api-key': folder.callers[0]!.key })
  const code = await service.stop()
  logs.push(service.output())
  if (status !== 200 || code !== 0) throw new Error(`a read is answered with ${status}, and the service ended with ${code}`)
  return String(body)
}

type Counts = Record<'starts refused, the file named' | 'not ready' | 'answers refused' | 'answers right' | 'keys revealed right', number>

interface Tried {
  readonly audit: Audit
  /** Output of the services. */
  readonly logs: string[]
  readonly folder: Prepared
  /** The rows that a service on an intact state file returns. */
  readonly right: string
}

/**
 * Starts a service on the damaged state file and sends requests as every account.
 *
 * @returns the violations
 */
async function served({ audit, logs, folder, right }: Tried, counts: Counts): Promise<readonly string[]> {
  let service: Awaited<ReturnType<typeof start>>
  try {
    service = await start(folder)
  } catch (error) {
    const message = String((error as Error).message)
    const isNamed = message.includes(folder.stateDb) || /state file/.test(message)
    if (isNamed) counts['starts refused, the file named']++
    return isNamed && !/\n\s+at /.test(message) ? [] : [`the start failed without a sentence: ${message.slice(-400)}`]
  }
  const agent = new Agent({ keepAlive: true })
  const faults: string[] = []
  const note = (what: string, { status, body }: Answer, isRight: boolean, name: 'answers right' | 'keys revealed right'): void => {
    if (status === 200 && isRight) counts[name]++
    else if (REFUSED.has(status) || String(body).includes('"error_code":"integrity"')) counts['answers refused']++
    else faults.push(`${what} is answered with ${status}${status === 200 ? ', and wrong' : ''}`)
  }
  try {
    if ((await audit.ask(agent, `${service.url}/readyz`)).status === 503) counts['not ready']++
    for (const caller of folder.callers) {
      const read = await audit.ask(agent, `${service.url}${READ}`, { 'x-api-key': caller.key })
      note('a read', read, String(read.body) === right, 'answers right')
      const shown = await reveal(audit, agent, service.url, caller)
      note('a reveal', shown, shown.body.includes(caller.key), 'keys revealed right')
    }
  } catch (error) {
    faults.push(`no answer came: ${error}`)
  }
  agent.destroy()
  logs.push(service.output())
  const gone = once(service.child, 'exit')
  if (service.child.exitCode === null && service.child.signalCode === null) {
    service.child.kill('SIGKILL')
    await gone
  } else faults.push(`the service ended with ${service.child.exitCode}: ${service.output().slice(-400)}`)
  return faults
}

const reveal = (audit: Audit, agent: Agent, url: string, { keyId, token }: Caller) =>
  audit.ask(agent, `${url}/v2/self-serve/api-keys/${keyId}/reveal`, { 'x-self-serve-token': token })

export const cases: readonly HostileCase[] = [
  {
    id: 'D7',
    tries: 'starts with one bit of the state file flipped, anywhere, and with one bit of each compiled module flipped',
    holds: 'a damaged state file is refused by name or served correctly, and damaged compiled modules are compiled again',
    minutes: 20,
    run,
  },
]
