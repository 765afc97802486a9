/**
 * Counts committed uses that are missing after a restore from Litestream.
 *
 * One process records uses while Litestream copies the state file. Both are killed at a random
 * moment.
 *
 * Run `node src/run.mjs --run bench/litestream.ts [rounds]` with `litestream` on the PATH.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readEmail } from '../src/accounts/index.ts'
import { openControl } from '../src/control/index.ts'

const SECRETS = { KEY_PEPPER: 'pepper of the benchmark', KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') }
const [, , ...args] = process.argv

/** Runs until the process is killed. Writes the time of each commit to a file. */
async function book(stateDb: string, acknowledged: string): Promise<never> {
  const control = openControl({ stateDb }, SECRETS)
  const { id: accountId } = control.accounts.ensure(readEmail('a@example.test')!, new Date())
  const { keyId } = control.keys.issue(accountId, 'bench', new Date())
  for (let n = 0; ; n++) {
    const requestId = `req_${String(n).padStart(26, '0')}`
    await control.ledger.record({ requestId, accountId, keyId, dataset: 'events', at: new Date().toISOString(), credits: 1, rows: 1 })
    writeFileSync(acknowledged, `${requestId} ${Date.now()}\n`, { flag: 'a' })
    await sleep(2)
  }
}

const killed = async (child: ChildProcess): Promise<void> => {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

async function round(): Promise<{ booked: number; lost: number; window: number }> {
  const dir = mkdtempSync(join(tmpdir(), 'twmd-litestream-'))
  const [stateDb, acknowledged, copy] = [join(dir, 'state.sqlite'), join(dir, 'acknowledged'), join(dir, 'copy')]
  const program = fileURLToPath(import.meta.url)
  const booking = spawn(process.execPath, [program, 'book', stateDb, acknowledged], { stdio: 'inherit' })
  await sleep(1_500)
  const config = join(dir, 'litestream.yml')
  writeFileSync(config, `dbs:\n  - path: ${stateDb}\n    replicas:\n      - type: file\n        path: ${copy}\n        sync-interval: 1s\n`)
  const copying = spawn('litestream', ['replicate', '-config', config], { stdio: 'ignore' })
  await sleep(6_000 + Math.random() * 2_000)
  await Promise.all([killed(booking), killed(copying)])
  const restored = join(dir, 'restored.sqlite')
  const { status, stderr } = spawnSync('litestream', ['restore', '-config', config, '-o', restored, stateDb], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`litestream restore: ${stderr}`)
  const control = openControl({ stateDb: restored }, SECRETS)
  const there = new Set(control.db.prepare<[], string>('SELECT request_id FROM usage_ledger').pluck().all())
  control.close()
  const lines = readFileSync(acknowledged, 'utf8').trim().split('\n')
  const lost = lines.filter(line => !there.has(line.split(' ')[0]!))
  const at = (line: string | undefined): number => Number(line?.split(' ')[1])
  rmSync(dir, { recursive: true })
  return { booked: lines.length, lost: lost.length, window: lost.length === 0 ? 0 : at(lines.at(-1)) - at(lost[0]) }
}

if (args[0] === 'book') await book(args[1]!, args[2]!)
if (spawnSync('litestream', ['version']).status !== 0) {
  console.log('litestream is not on the PATH: nothing was measured.')
} else {
  for (let n = 1; n <= Number(args[0] ?? 5); n++) {
    const { booked, lost, window } = await round()
    console.log(`round ${n}: ${booked} uses acknowledged, ${lost} lost, the oldest ${window} ms before the kill`)
  }
}
