import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { publishExamples } from '../../fixtures/publish/examples.ts'
import { loadCases, type Ran, runCase, SECONDS, tableOf } from './campaign.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    scale: { type: 'string', default: '1' },
    seconds: { type: 'string', default: String(SECONDS.full) },
    json: { type: 'string' },
  },
})
const scale = Number(values.scale)
if (!(scale > 0 && scale <= 1)) throw new Error('--scale must be above 0 and at most 1')
const seconds = Number(values.seconds)
if (!(seconds > 0 && seconds <= 3_600)) throw new Error('--seconds must be above 0 and at most 3600')
const cases = await loadCases()
const wanted = values.only?.split(',') ?? cases.map(({ id }) => id)
const unknown = wanted.filter(id => !cases.some(hostileCase => hostileCase.id === id))
if (unknown.length > 0) throw new Error(`--only: no case ${unknown.join(', ')}; there are ${cases.map(({ id }) => id).join(', ')}`)

/** Number of failures printed per case while it runs. The JSON contains all of them. */
const PRINTED = 20
const say = (text: string): void => console.error(`${(performance.now() / 1_000).toFixed(0).padStart(5)} s  ${text}`)
const root = await mkdtemp(join(tmpdir(), 'twmd-hostile-'))
process.once('SIGINT', () => process.exit(130))
try {
  const examples = join(root, 'examples')
  say('publishing the example rows')
  await publishExamples(examples)
  const ran: Ran[] = []
  for (const hostileCase of cases.filter(({ id }) => wanted.includes(id))) {
    say(`${hostileCase.id}: ${hostileCase.tries}`)
    const result = await runCase(hostileCase, root, { scale, examples, say: text => say(`${hostileCase.id}: ${text}`) }, seconds)
    for (const failure of result.outcome.failures.slice(0, PRINTED)) say(`${hostileCase.id}: FAILED: ${failure.slice(0, 1_000)}`)
    ran.push(result)
  }
  console.log(tableOf(ran))
  if (values.json !== undefined)
    await writeFile(
      values.json,
      `${JSON.stringify(ran.map(({ hostileCase: { id, tries, holds }, ...rest }) => ({ id, tries, holds, ...rest })))}\n`,
    )
  process.exitCode = ran.some(({ outcome }) => outcome.failures.length > 0) ? 1 : 0
} finally {
  await rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
}
// Exits explicitly, because a hung case may leave sockets and timers open.
process.exit()
