import { once } from 'node:events'
import { copyFileSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { anyBit, flipBit } from '../../../fixtures/releases/flip-bit.ts'
import { type Audit, auditing } from '../audited.ts'
import { type Bounds, type HostileCase, type Outcome, scaled } from '../case.ts'
import { type Caller, type Prepared, prepare, start } from '../service.ts'

/** Flips in the state file, and starts with a flip in every file of compiled modules. */
const [IN_STATE, OF_CACHES] = [60, 4]
const READ = '/v2/datasets/institutional-positioning?symbol=2330'
/** Refusals with 503 of a service that cannot read or write an account; `/readyz` has no word for it. */
const UNREADABLE = ['not_writable', 'overloaded', '']
/** What a service logs as failed of a state file that lost a bit. */
const DAMAGED = /SqliteError|malformed/
/** What a service may answer that cannot read an account, or not at all. */
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
  const kept = `${folder.stateDb}.kept`
  copyFileSync(folder.stateDb, kept)
  const flips = scaled(bounds, IN_STATE)
  for (let flip = 0; flip < flips; flip++) {
    for (const tail of ['', '-wal', '-shm', '.owed']) rmSync(`${folder.stateDb}${tail}`, { force: true })
    copyFileSync(kept, folder.stateDb)
    const bit = anyBit(folder.stateDb)
    flipBit(folder.stateDb, bit)
    failures.push(...(await served({ audit, logs, folder, right }, counts)).map(fault => `bit ${bit} of the state file: ${fault}`))
    if (flip % 10 === 9) bounds.say(`${flip + 1} flips in the state file: ${JSON.stringify(counts)}`)
  }
  copyFileSync(kept, folder.stateDb)
  const caches = scaled(bounds, OF_CACHES)
  for (let turn = 0; turn < caches; turn++) {
    const files = readdirSync(compiled, { recursive: true, encoding: 'utf8' }).map(name => join(compiled, name))
    for (const file of files.filter(name => statSync(name).isFile() && statSync(name).size > 0)) flipBit(file, anyBit(file))
    if ((await rightAnswer({ audit, logs, folder }, compiled)) !== right)
      failures.push('with flipped compiled modules, a read is answered otherwise')
  }
  // A ledger that lost a bit is compared with nothing.
  failures.push(...audit.findings(logs.join('')).failures)
  return { tries: flips + caches, failures, figures: counts }
}

/** The rows that the service answers; it keeps what it compiled in a folder. */
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
  /** What the services printed. */
  readonly logs: string[]
  readonly folder: Prepared
  /** The rows as a whole state file has them answered. */
  readonly right: string
}

/** Starts on the state file as it lies, and asks as every account. @returns what must not be */
async function served({ audit, logs, folder, right }: Tried, counts: Counts): Promise<readonly string[]> {
  let service: Awaited<ReturnType<typeof start>>
  try {
    service = await start(folder)
  } catch (error) {
    const said = String((error as Error).message)
    const isNamed = said.includes(folder.stateDb) || /state file/.test(said)
    if (isNamed) counts['starts refused, the file named']++
    return isNamed && !/\n\s+at /.test(said) ? [] : [`the start failed without a sentence: ${said.slice(-400)}`]
  }
  const agent = new Agent({ keepAlive: true })
  const faults: string[] = []
  const note = (what: string, status: number, isRight: boolean, name: 'answers right' | 'keys revealed right'): void => {
    if (status === 200 && isRight) counts[name]++
    else if (REFUSED.has(status)) counts['answers refused']++
    else faults.push(`${what} is answered with ${status}${status === 200 ? ', and wrong' : ''}`)
  }
  try {
    if ((await audit.ask(agent, `${service.url}/readyz`)).status === 503) counts['not ready']++
    for (const caller of folder.callers) {
      const read = await audit.ask(agent, `${service.url}${READ}`, { 'x-api-key': caller.key })
      note('a read', read.status, String(read.body) === right, 'answers right')
      const shown = await reveal(audit, agent, service.url, caller)
      note('a reveal', shown.status, shown.body.includes(caller.key), 'keys revealed right')
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
