import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import type { Column } from '../../catalog/index.ts'
import { type Engine, engineFault, openEngine, type Session } from '../engine/index.ts'
import { ENCODERS, type RowSet } from '../formats/index.ts'
import { type SentColumn, sentColumns } from './answer-columns.ts'
import { type Job, type Reply, type RunJob, readMessages, writeMessage } from './wire.ts'

/* Runs callers' queries in a separate process, with jobs from standard input. */

const memoryMb = Number(process.argv[2])
const MAX_JOB_BYTES = 2 ** 24
const CHECK_MEMORY_MS = 50

/**
 * Limits memory, forbids writing files, and lowers the priority.
 *
 * @returns false if `prlimit` or `chrt` is missing
 */
function limitProcess(): boolean {
  setPriority(constants.priority.PRIORITY_LOW)
  try {
    // If memory runs out, the system kills this process first.
    writeFileSync('/proc/self/oom_score_adj', '1000')
    const inUseKb = Number(/^VmData:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'latin1'))![1])
    const data = inUseKb * 1_024 + memoryMb * 2 ** 20
    const pid = String(process.pid)
    // On Linux, setPriority changes one thread only.
    execFileSync('chrt', ['--all-tasks', '--idle', '--pid', '0', pid], { stdio: 'ignore' })
    execFileSync('prlimit', ['--pid', pid, `--data=${data}`, '--fsize=0', '--core=0', '--nofile=4096'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

interface OpenEngine {
  readonly key: string
  readonly engine: Engine
  readonly session: Session
}

interface RunningAnswer {
  readonly rows: RowSet
  free(): void
}

let current: OpenEngine | undefined
let answer: RunningAnswer | undefined

async function open(job: Pick<RunJob, 'memoryLimit' | 'files' | 'views'>): Promise<Session> {
  const key = JSON.stringify([job.memoryLimit, job.files, job.views])
  if (current?.key === key) return current.session
  current?.session.close()
  current?.engine.close()
  current = undefined
  const engine = await openEngine({ threads: 1, memoryLimit: job.memoryLimit, readableFiles: job.files })
  const session = await engine.connect()
  current = { key, engine, session }
  for (const view of job.views) await session.run(view)
  return session
}

const NO_DATA = { memoryLimit: '64MB', files: [], views: [] }

async function parse({ text, wrapped }: Extract<Job, { kind: 'parse' }>): Promise<[Reply, Buffer]> {
  const session = await open(NO_DATA)
  const treeOf = async (sql: string): Promise<string> =>
    (await session.rows('SELECT json_serialize_sql($1::VARCHAR) AS tree', [sql]))[0]!['tree'] as string
  const alone = JSON.parse(await treeOf(text)) as SerializedSql
  const { error, error_type: type = '', error_message: message = '', position = null, statements = [] } = alone
  return [{ kind: 'parsed', alone: { error, count: statements.length, type, message, position } }, Buffer.from(await treeOf(wrapped))]
}

interface SerializedSql {
  readonly error: boolean
  readonly error_type?: string
  readonly error_message?: string
  readonly position?: string
  readonly statements?: readonly unknown[]
}

async function run({ text, values, limit, offset, ...job }: RunJob): Promise<[Reply]> {
  const session = await open(job)
  const query = `(\n${text}\n) AS answer`
  const described = await session.query(`SELECT * FROM ${query} LIMIT 0`, values)
  described.free()
  const columns = sentColumns(described.columns)
  const list = columns.map(({ expression }, index) => `${expression} AS c${index}`).join(', ')
  const result = await session.query(`SELECT ${list} FROM ${query} LIMIT ${limit + 1} OFFSET ${offset}`, values)
  const names = columns.map(({ name }) => name)
  const rows = Math.min(limit, result.rows)
  const more = result.rows > limit
  const page = { chunks: result.chunks, rows, more, position: new Map(names.map((name, index) => [name, index])) }
  answer = { rows: { columns: describedColumns(columns), names, page }, free: () => result.free() }
  return [{ kind: 'ran', rows, more, columns: columns.map(({ name, type, sqlType }) => ({ name, type, sqlType })) }]
}

const describedColumns = (columns: readonly SentColumn[]): Readonly<Record<string, Column>> =>
  Object.fromEntries(columns.map(({ name, type }): [string, Column] => [name, { type, doc: '', docZh: '', zh: '' }]))

async function encode({ format, frame, bom, maxBytes }: Extract<Job, { kind: 'encode' }>): Promise<[Reply, Buffer?]> {
  const pieces: Buffer[] = []
  let length = 0
  for (const piece of await ENCODERS[format].encode(answer!.rows, frame, { bom })) {
    length += piece.length
    if (length > maxBytes) return [{ kind: 'too large' }]
    pieces.push(Buffer.from(piece))
  }
  return [{ kind: 'encoded' }, Buffer.concat(pieces, length)]
}

const dropAnswer = (): void => {
  answer?.free()
  answer = undefined
}

async function work(job: Exclude<Job, { kind: 'interrupt' }>): Promise<readonly [Reply, Buffer?]> {
  try {
    if (job.kind === 'parse') return await parse(job)
    if (job.kind === 'encode') return await encode(job)
    dropAnswer()
    return await run(job)
  } catch (error) {
    return [{ kind: 'failed', fault: engineFault(error), message: error instanceof Error ? error.message : String(error) }]
  } finally {
    if (job.kind === 'encode') dropAnswer()
  }
}

const limited = limitProcess()
readMessages<Job>(process.stdin, MAX_JOB_BYTES, job => {
  if (job.kind === 'interrupt') current?.session.interrupt()
  else void work(job).then(([reply, body]) => writeMessage(process.stdout, reply, body))
})
process.stdin.on('close', () => process.exit())
setInterval(() => process.memoryUsage.rss() > (memoryMb + 256) * 2 ** 20 && process.exit(), CHECK_MEMORY_MS).unref()
writeMessage(process.stdout, { kind: 'ready', limited })
