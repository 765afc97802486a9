import { LRUCache } from 'lru-cache'
import { type Catalog, described, type Format, PLANS, type PlanId } from '../../catalog/index.ts'
import { type Fault, inputRefusal, Refusal, shortage, type Words } from '../core/index.ts'
import { type BoundValues, storageFault } from '../engine/index.ts'
import { clip } from '../read/index.ts'
import { type CheckedQuery, checkQuery } from './check.ts'
import type { Views } from './conditions.ts'
import { type Scan, type SqlView, viewName } from './scan.ts'
import { listOf, type Node } from './tree.ts'
import type { AnswerColumn, ParsedQuery, Reply } from './wire.ts'
import { isWorkerEnd, type WorkerProcess } from './worker-process.ts'
import { MAX_ANSWER_BYTES, type SqlWorkers } from './workers.ts'

export interface SqlRun {
  readonly text: string
  readonly values: BoundValues
  readonly scans: readonly Scan[]
  readonly limit: number
  readonly offset: number
  readonly format: Format
  readonly bom: boolean
  readonly budget: { readonly ms: number; readonly memoryMb: number }
  /** Account of the caller. */
  readonly account: string
  readonly where: Fault['loc']
}

export interface SqlRows {
  readonly rows: number
  readonly more: boolean
  readonly columns: readonly AnswerColumn[]
}

export interface SqlResult extends SqlRows {
  readonly body: Buffer
}

export interface SqlEngine {
  readonly views: ReadonlyMap<string, SqlView>
  /**
   * @param account key of the queue
   * @throws Refusal invalid_parameter, overloaded
   */
  check(text: string, account: string, where: Fault['loc']): Promise<CheckedQuery>
  /**
   * @param frame returns the text before and after the rows
   * @param onStart receives a function that stops the query
   * @throws Refusal invalid_parameter if the query fails or exceeds its budget; query_timeout;
   * overloaded
   * @throws Error that `isStorageFault` recognizes if a file cannot be read
   */
  run(run: SqlRun, frame: (rows: SqlRows) => readonly [string, string], onStart: (stop: () => void) => void): Promise<SqlResult>
}

export const MAX_QUERY = 20_000
const PARSE_MS = 2_000
const ENCODE_MS = 20_000
const CHECKED = 256
/** The check wraps the query in this statement. */
const [BEFORE, AFTER] = ['SELECT * FROM (\n', '\n) AS answer LIMIT 0']

/** @param folder folder of the releases. Callers must not see the path */
export function createSqlEngine(catalog: Catalog, workers: SqlWorkers, folder: string): SqlEngine {
  const views = viewsOf(catalog)
  const columns: Views = new Map([...views].map(([name, { dataset }]) => [name, new Set(Object.keys(dataset.columns))]))
  const cache = new LRUCache<string, CheckedQuery>({ max: CHECKED })
  return {
    views,
    async check(text, account, where) {
      // The parser ignores everything after a zero byte, so that text would not be checked.
      if (text.includes('\u0000')) throw syntaxRefusal(where, ZERO_BYTE)
      const query = withoutSemicolon(text)
      const cached = cache.get(query)
      if (cached) return cached
      const tree = await parseTwice(workers, account, { query, where })
      const checked = checkQuery(tree, columns, where, BEFORE.length)
      cache.set(query, checked)
      return checked
    },
    run: (run, frame, onStart) => workers.runner(run.account, worker => runOn(worker, run, { frame, onStart, folder })),
  }
}

/** Includes internal datasets of field queries. */
function viewsOf(catalog: Catalog): ReadonlyMap<string, SqlView> {
  const views = described(catalog).map((dataset): SqlView => {
    const plans = (dataset.fields ?? []).flatMap(({ plan }) => plan ?? [])
    const highest = plans.toSorted((a, b) => PLANS[b].rank - PLANS[a].rank)[0]
    return { name: viewName(dataset.slug), dataset, access: dataset.access ?? { plan: highest ?? ('free' satisfies PlanId), credits: 1 } }
  })
  return new Map(views.map(view => [view.name, view]))
}

const withoutSemicolon = (text: string): string => text.replace(/;\s*$/, '')

interface ParseRequest {
  readonly query: string
  readonly where: Fault['loc']
}

/** Tries again if the worker ended, because another query may be the cause. */
async function parseTwice(workers: SqlWorkers, account: string, request: ParseRequest): Promise<Node> {
  const attempt = (): Promise<Node> => workers.parser(account, worker => parse(worker, request))
  try {
    return await attempt().catch(error => {
      if (!isWorkerEnd(error)) throw error
      return attempt()
    })
  } catch (error) {
    throw isWorkerEnd(error) ? syntaxRefusal(request.where, TOO_COMPLEX) : error
  }
}

async function parse(worker: WorkerProcess, { query, where }: ParseRequest): Promise<Node> {
  const { reply, body } = await worker.request({ kind: 'parse', text: query, wrapped: `${BEFORE}${query}${AFTER}` }, PARSE_MS)
  if (reply.kind !== 'parsed') throw syntaxRefusal(where, TOO_COMPLEX)
  const { alone } = reply
  if (alone.error) throw syntaxRefusal(where, parserWords(alone))
  if (alone.count !== 1) throw syntaxRefusal(where, ONE_STATEMENT)
  const wrapped = JSON.parse(body.toString()) as Node
  if (wrapped['error'] !== false || listOf(wrapped['statements']).length !== 1) throw syntaxRefusal(where, NOTHING_AFTER)
  return { statements: wrapped['statements'] }
}

/** `error_type` that `json_serialize_sql` of DuckDB returns for a statement it does not support. */
const NOT_SERIALIZABLE = 'not implemented'

function parserWords({ type, message, position }: ParsedQuery): Words {
  if (type === NOT_SERIALIZABLE)
    return message.startsWith('Only SELECT')
      ? ONE_STATEMENT
      : { en: `is not available: ${clip(message)}`, zh: `使用了不支援的語法：${clip(message)}` }
  const place = position === null ? '' : ` at byte ${position}`
  return { en: `is not valid SQL${place}: ${clip(message)}`, zh: `不是有效的 SQL${place}：${clip(message)}` }
}

const syntaxRefusal = (where: Fault['loc'], { en, zh }: Words, type: Fault['type'] = 'sql_syntax'): Refusal =>
  inputRefusal([{ loc: where, words: { en: `${where.at(-1)} ${en}`, zh: `${where.at(-1)} ${zh}` }, type }])

interface RunContext {
  readonly frame: (rows: SqlRows) => readonly [string, string]
  readonly onStart: (stop: () => void) => void
  readonly folder: string
}

async function runOn(worker: WorkerProcess, run: SqlRun, { frame, onStart, folder }: RunContext): Promise<SqlResult> {
  const { values, scans, limit, offset, format, bom, budget, where } = run
  let isOver = false
  // Ignore a call after the query has ended, because the worker may run another query by then.
  onStart(() => {
    if (!isOver) worker.stop()
  })
  const began = performance.now()
  try {
    const job = {
      kind: 'run',
      memoryLimit: `${budget.memoryMb}MB`,
      files: scans.flatMap(({ files }) => files),
      views: scans.map(({ definition }) => definition),
      text: withoutSemicolon(run.text),
      values,
      limit,
      offset,
    } as const
    const { reply: ran } = await worker.request(job, budget.ms)
    if (ran.kind !== 'ran') throw failureOf(ran, worker, run, folder)
    const { reply: encoded, body } = await worker.request(
      { kind: 'encode', format, bom, frame: frame(ran), maxBytes: MAX_ANSWER_BYTES },
      ENCODE_MS,
    )
    if (encoded.kind === 'too large') throw syntaxRefusal(where, TOO_LARGE, 'sql_budget')
    if (encoded.kind !== 'encoded') throw failureOf(encoded, worker, run, folder)
    return { rows: ran.rows, more: ran.more, columns: ran.columns, body }
  } catch (error) {
    if (!isWorkerEnd(error)) throw error
    if (performance.now() - began >= budget.ms) throw timeout(budget.ms)
    throw syntaxRefusal(where, memoryWords(budget.memoryMb), 'sql_budget')
  } finally {
    isOver = true
  }
}

function failureOf(reply: Reply, worker: WorkerProcess, { budget, where }: SqlRun, folder: string): Error {
  if (reply.kind !== 'failed') return new Error(`Unexpected reply of a SQL worker: ${reply.kind}`)
  const { fault, message } = reply
  if (fault === 'interrupted') return timeout(budget.ms)
  if (fault === 'out of memory') return syntaxRefusal(where, memoryWords(budget.memoryMb), 'sql_budget')
  if (fault === 'shortage') return shortage()
  // After an internal error, the worker cannot be used again.
  if (/^(INTERNAL|FATAL)/.test(message)) worker.kill()
  // A message with a path may be about a damaged file, so the files are verified. Queries can cause
  // other storage errors.
  else if (fault === 'storage' && message.includes(folder)) return storageFault(new Error(message))
  return syntaxRefusal(where, message.includes(folder) ? UNKNOWN_FAILURE : engineWords(message))
}

const LONGEST_MESSAGE = 500

/** Removes the statement and all values from an error message, because failed queries are free. */
function engineWords(message: string): Words {
  const [, kind = '', text = ''] = /^([A-Z][A-Za-z ]*) Error: ([\s\S]*)$/.exec(message) ?? []
  if (/^(Binder|Catalog|Parser|Not implemented)$/.test(kind) || OWN_ERROR.test(text)) {
    const shown = text
      .replace(/\n+LINE \d+:[\s\S]*$/, '')
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, LONGEST_MESSAGE)
    return { en: `was refused by the engine. ${shown}`, zh: `遭查詢引擎拒絕。${shown}` }
  }
  return ROW_ERRORS[kind] ?? UNKNOWN_FAILURE
}

/** Errors from the expressions in `answer-columns.ts`. */
const OWN_ERROR = /^(An integer|A date) of .* Cast it to [A-Z or]+\.$/s

const ROW_ERRORS: Readonly<Record<string, Words>> = {
  Conversion: {
    en: 'was refused by the engine. A value cannot be converted to another type. Use TRY_CAST, or filter such values.',
    zh: '遭查詢引擎拒絕。有資料無法轉換型別。請改用 TRY_CAST，或先排除該值。',
  },
  'Out of Range': {
    en: 'was refused by the engine. A number exceeds the range of its type. Cast it to DOUBLE first.',
    zh: '遭查詢引擎拒絕。有數值超出其型別的範圍。請先轉換為 DOUBLE。',
  },
  'Invalid Input': {
    en: 'was refused by the engine. A function received a value that it does not accept. Filter such values.',
    zh: '遭查詢引擎拒絕。函式收到無法處理的值。請先排除該值。',
  },
}

const timeout = (ms: number): Refusal =>
  new Refusal(
    'query_timeout',
    { budget_ms: ms },
    {
      en: `The query exceeded its time limit of ${ms / 1_000} s. Narrow it by symbol or dates, or move to a higher plan.`,
      zh: `查詢超過 ${ms / 1_000} 秒的時間上限。請以代號或日期縮小範圍，或升級方案。`,
    },
  )
const memoryWords = (memoryMb: number): Words => ({
  en: `needs more memory than the plan allows (${memoryMb} MB). Narrow it by symbol or dates, or aggregate less.`,
  zh: `所需記憶體超過方案上限（${memoryMb} MB）。請以代號或日期縮小範圍，或減少彙總。`,
})
const TOO_LARGE: Words = {
  en: `has a response larger than ${MAX_ANSWER_BYTES / 2 ** 20} MB. Select fewer columns or rows.`,
  zh: `的回應超過 ${MAX_ANSWER_BYTES / 2 ** 20} MB。請減少欄位或列數。`,
}
const TOO_COMPLEX: Words = { en: 'is too complex to parse. Write a shorter query.', zh: '過於複雜，無法解析。請縮短查詢。' }
const ZERO_BYTE: Words = { en: 'is not valid SQL: it contains a zero byte.', zh: '不是有效的 SQL：含有零位元組。' }
const ONE_STATEMENT: Words = { en: 'must be one SELECT statement.', zh: '必須是單一 SELECT 陳述式。' }
const NOTHING_AFTER: Words = {
  en: 'must be one SELECT without anything after its last semicolon.',
  zh: '必須是單一 SELECT，最後的分號之後不得有其他內容。',
}
const UNKNOWN_FAILURE: Words = { en: 'could not be run by the engine. Simplify it.', zh: '查詢引擎無法執行此查詢，請簡化。' }
