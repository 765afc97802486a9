import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createLog } from '../../src/core/index.ts'

const CORE = fileURLToPath(new URL('../../src/core/index.ts', import.meta.url))
const isPosix = process.platform !== 'win32'

/**
 * Runs a program with a log at level `info`.
 * @param command of a shell, where `$RUN` is the program
 */
function run(program: string, command = '$RUN'): ChildProcess {
  const source = `import { createLog } from '${CORE}'
    const log = createLog('info')
    const reads = (count) => { for (let read = 0; read < count; read++) log('read', { read, text: 'x'.repeat(200) }) }
    ${program}`
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', source]
  if (command === '$RUN') return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] })
  return spawn('sh', ['-c', command.replace('$RUN', '"$0" "$@"'), process.execPath, ...args], { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] })
}

async function linesAndCode(child: ChildProcess): Promise<readonly [reads: readonly number[], code: number]> {
  const [output, [code]] = await Promise.all([text(child.stdout!), once(child, 'close')])
  const lines = output.trim().split('\n').filter(Boolean)
  return [lines.map(line => JSON.parse(line).read), code]
}

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at)

it('createLog at level silent writes nothing and adds no exit listeners', () => {
  const before = process.listenerCount('exit')
  const lines: string[] = []
  for (let opened = 0; opened < 20; opened++) createLog('silent')('read', { opened })
  createLog('silent', { write: line => void lines.push(line) })('failed', { message: 'x' })
  expect([process.listenerCount('exit'), lines]).toEqual([before, []])
})

it('every line of the log has its time in ISO 8601 and a sentence as message', () => {
  const lines: string[] = []
  const log = createLog('info', { write: line => void lines.push(line) })
  log('read', { rows: 1 })
  log('stopped')
  log('failed', { during: 'writing the ledger', error: 'full' })
  const records = lines.map(line => JSON.parse(line))
  expect(records.map(({ event, msg }) => [event, msg])).toEqual([
    ['read', 'A read was answered.'],
    ['stopped', 'The service has stopped.'],
    ['failed', 'An error occurred: writing the ledger.'],
  ])
  for (const { time } of records) expect(new Date(time).toISOString()).toBe(time)
})

it('the log has every line, in order, before the program ends', async () => {
  expect(await linesAndCode(run('reads(1000)'))).toEqual([upTo(1000), 0])
})

it.each([
  ['process.exit', 'reads(1000); process.exit(3)', 3],
  ['an uncaught exception', `reads(1000); throw new Error('x')`, 1],
])('%s loses no line of the log', async (_, program, expected) => {
  const [reads, code] = await linesAndCode(run(program))
  // A block of lines that was being written may be printed after later lines.
  expect([reads.toSorted((a, b) => a - b), code]).toEqual([upTo(1000), expected])
})

it.runIf(isPosix)('if the log reader stops reading, the program continues, and the reader receives every line later', async () => {
  const alive = `setInterval(() => { reads(0); process.stderr.write('alive') }, 100).unref(); setTimeout(() => {}, 3000)`
  // A full shell pipe blocks its writers.
  const child = run(`reads(1000); ${alive}`, '$RUN | { read go <&3; cat; }')
  await once(child.stderr!, 'data')
  child.stderr!.resume()
  const ended = linesAndCode(child)
  ;(child.stdio[3] as NodeJS.WritableStream).end('go\n')
  expect((await ended)[0]).toEqual(upTo(1000))
})

it.runIf(isPosix)('the program can end even if its log reader has closed', async () => {
  const child = run(`reads(1000); setTimeout(() => reads(10), 500)`, '{ $RUN; echo $? >&2; } | true')
  expect(await text(child.stderr!)).toBe('0\n')
})

it.runIf(existsSync('/dev/full'))('the program can end even if the disk is full', async () => {
  for (const program of ['reads(10)', `log('failed'); setTimeout(() => { reads(10); process.exit(0) }, 500)`])
    expect(await linesAndCode(run(program, '$RUN > /dev/full')), program).toEqual([[], 0])
})
