import { readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openEngine } from '../../../../src/engine/index.ts'
import { ended, startTwmd } from '../../../fixtures/cli/twmd.ts'
import { auditing } from '../audited.ts'
import { badFiles, DEVICE, type Dropped, drop, GOOD } from '../bad-files.ts'
import { type Bounds, type HostileCase, type Outcome, scaled } from '../case.ts'
import { ledgerOf, prepare, start } from '../service.ts'

const MIB = 2 ** 20
/** Size in bytes of large files, and of the content of compression bombs. */
const BULK = 600 * MIB
/** Maximum memory of the watcher process in bytes. */
const MOST_RSS = 1_024 * MIB
const DROPS = 3

/** The outcome of one file in the output of `twmd watch --once --json`. */
interface FileOutcome {
  readonly outcome: string
  readonly rule: string | null
  readonly said: readonly string[]
}

async function run(bounds: Bounds): Promise<Outcome> {
  const folder = prepare(bounds, ['max'])
  const service = await start(folder)
  const engine = await openEngine({ threads: 1, memoryLimit: '256MB' })
  const session = await engine.connect()
  const inbox = join(folder.dir, 'inbox')
  const devices = await drop(inbox, [DEVICE]).then(
    () => [DEVICE],
    // Creating a device file needs a permission.
    () => [],
  )
  const bad = [...badFiles(session, Math.max(MIB, Math.round(BULK * bounds.scale))), ...devices]
  const failures: string[] = []
  let [tries, peak] = [0, 0]
  for (let turn = 0; turn < scaled(bounds, DROPS); turn++) {
    await drop(inbox, [...GOOD, ...bad])
    const taken = await taking(folder.dir)
    peak = Math.max(peak, taken.peak)
    tries += GOOD.length + bad.length
    failures.push(
      ...faultsOf(taken.outcomes, bad, turn === 0),
      ...(taken.code === 1 ? [] : [`the watcher ended with ${taken.code}: ${taken.stderr}`]),
    )
    bounds.say(`drop ${turn + 1}: ${JSON.stringify(taken.counts)}`)
  }
  session.close()
  engine.close()
  if (peak > MOST_RSS) failures.push(`the watcher used ${Math.round(peak / MIB)} MiB`)
  const audit = auditing(folder)
  const agent = new Agent()
  const read = await audit.ask(agent, `${service.url}/v2/datasets/daily-prices?symbol=2330&start_date=2026-06-01`, {
    'x-api-key': folder.callers[0]!.key,
  })
  agent.destroy()
  const days = new Set([...String(read.body).matchAll(/"trade_date":\s*"([\d-]+)"/g)].map(([, day]) => day))
  for (const day of ['2026-06-04']) if (!days.has(day)) failures.push(`the good rows of ${day} are not served: ${read.status} ${[...days]}`)
  if (readFileSync(folder.stateDb).subarray(0, 15).toString() !== 'SQLite format 3')
    failures.push('the state file was written through a link')
  if ((await service.stop()) !== 0) failures.push('the service did not end in order')
  failures.push(...audit.findings(service.output(), ledgerOf(folder.stateDb)).failures)
  return {
    tries,
    failures,
    figures: { 'bad files': bad.length, devices: devices.length || 'none: this user may not make one', 'peak RSS, MiB': peak / MIB },
  }
}

/** Runs the watcher once over the dropped files. */
async function taking(dir: string) {
  const child = startTwmd(dir, ['watch', '--once', '--json'], { INBOX_SETTLE_MS: '100' })
  let [peak, hasEnded] = [0, false]
  const watching = (async () => {
    for (; !hasEnded; await sleep(50)) peak = Math.max(peak, highWater(child.pid!))
  })()
  const { code, stdout, stderr } = await ended(child)
  hasEnded = true
  await watching
  const outcomes = new Map<string, FileOutcome>()
  for (const record of stdout.split('\n').filter(text => text.startsWith('{'))) {
    const event = JSON.parse(record) as {
      readonly event: string
      readonly inbox: string
      readonly file?: string
      readonly reason?: string
      readonly files?: readonly (FileOutcome & { readonly file: string })[]
    }
    const place = (file: string): string => (event.inbox === '' ? file : `${event.inbox}/${file}`)
    if (event.event === 'left') outcomes.set(place(event.file!), { outcome: 'left', rule: null, said: [event.reason!] })
    for (const file of event.files ?? []) outcomes.set(place(file.file), file)
  }
  const counts = Object.fromEntries(
    [...Map.groupBy(outcomes.values(), ({ outcome }) => outcome)].map(([name, those]) => [name, those.length]),
  )
  return { code, stderr, outcomes, counts, peak }
}

/** Peak memory of a process in bytes. 0 after the process has ended. */
function highWater(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024
  } catch {
    return 0
  }
}

function faultsOf(outcomes: ReadonlyMap<string, FileOutcome>, bad: readonly Dropped[], isFirst: boolean): readonly string[] {
  const faults: string[] = []
  for (const { place } of GOOD) {
    const { outcome, said } = outcomes.get(place) ?? { outcome: 'not reported', said: [] }
    if (!(isFirst ? ['published'] : ['already', 'unchanged']).includes(outcome)) faults.push(`good ${place}: ${outcome}: ${said.join(' ')}`)
  }
  for (const { place } of bad) {
    const { outcome, said } = outcomes.get(place) ?? { outcome: 'not reported', said: [] }
    if (!['refused', 'left'].includes(outcome) || said.join('').trim() === '')
      faults.push(`bad ${JSON.stringify(place)}: ${outcome}: ${said.join(' ')}`)
  }
  return faults
}

export const cases: readonly HostileCase[] = [
  {
    id: 'D5',
    tries:
      'valid files dropped together with invalid ones: cut, repeated, wrong encoding, HTML pages, compression bombs, one line of 600 MB, pipes, links, a device, odd names, wrong types',
    holds: 'the inbox publishes the valid files and quarantines or leaves each invalid one with a reason, within 1 GiB',
    minutes: 20,
    run,
  },
]
