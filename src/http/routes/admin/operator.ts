import { z } from 'zod'
import { A_DAY, isDay } from '../../../core/index.ts'
import {
  type AcceptAnswer,
  createOversight,
  createSettleFiles,
  type DaysAtRiskDeps,
  type DiagnosticsDeps,
  daysAtRisk,
  type IntakeFile,
  type OversightDeps,
  type SettleDeps,
} from '../../../operations/index.ts'
import { type Endpoint, integer, type Route, requires, route } from '../../kernel/index.ts'
import {
  Attempt,
  Damage,
  Discarded,
  Feeds,
  Inbox,
  QuarantineList,
  QuarantineReport,
  Queues,
  ReleaseHistory,
  ReleaseOverview,
  SlowReads,
} from './operator-schemas.ts'

export type OperatorDeps = SettleDeps & OversightDeps & DaysAtRiskDeps & Pick<DiagnosticsDeps, 'workers'>

const COMMON = { group: 'administration', caller: 'admin_token' } as const

const RELEASES = {
  ...COMMON,
  summary: 'Releases of all datasets',
  summaryZh: '各資料集版本總覽',
  description:
    'Returns the served release of each dataset, with the numbers of retained, pinned, withdrawn and retired releases. Includes internal datasets.',
  answer: ReleaseOverview,
  example: {},
} as const satisfies Endpoint

const HISTORY = {
  ...COMMON,
  summary: 'Releases of one dataset, newest first',
  summaryZh: '單一資料集的版本列表',
  path: z.object({ dataset_key: z.string().meta({ description: 'Slug or id of a dataset.', example: 'bond-yield-curve' }) }),
  query: z.object({ limit: integer([1, 1_000], 50, { doc: 'Maximum number of releases to return.' }) }),
  answer: ReleaseHistory,
  refusals: ['unknown_dataset'],
  example: { path: { dataset_key: 'bond-yield-curve' } },
} as const satisfies Endpoint

const DAMAGE = {
  ...COMMON,
  summary: 'Damaged files and served replacements',
  summaryZh: '損毀檔案與備援版本',
  answer: Damage,
  example: {},
} as const satisfies Endpoint

const MOST = { limit: integer([1, 1_000], 100, { doc: 'Maximum number of files in each list.' }) }

const QUARANTINE = {
  ...COMMON,
  summary: 'Quarantined files and recent outcomes',
  summaryZh: '遭拒檔案與近期處理結果',
  query: z.object(MOST),
  answer: QuarantineList,
  example: {},
} as const satisfies Endpoint

const OneFile = z.object({ file_id: z.string().meta({ description: 'Id of a refused file.', example: 'q_0123456789abcdef' }) })
const note = z
  .string()
  .max(500)
  .optional()
  .meta({ description: 'Reason for the decision. Default: no reason.', example: 'figures checked by hand' })

const REPORT = {
  ...COMMON,
  summary: 'Report of one refused file',
  summaryZh: '遭拒檔案的報告',
  path: OneFile,
  answer: QuarantineReport,
  refusals: ['unknown_id'],
} as const satisfies Endpoint

const ACCEPT = {
  ...COMMON,
  summary: 'Publish a refused file with accepted rules',
  summaryZh: '接受並發布遭拒檔案',
  description:
    'Publishes the file in a separate process and returns the outcome. If publication takes longer than 20 seconds, the outcome is `running`. In this case, repeat the call for the result. Later calls for the same file return the recorded outcome. The audit log records the action.',
  path: OneFile,
  body: z.strictObject({
    accept: z
      .array(z.string().max(100))
      .max(20)
      .default([])
      .meta({ description: 'Rules to accept, from `acceptable` of the report.', example: ['row_count_drift'] }),
    date: z
      .string()
      .refine(isDay, requires({ en: `must be ${A_DAY.en}`, zh: `必須是${A_DAY.zh}` }, 'date'))
      .optional()
      .meta({ description: 'Day for which the file was fetched. Default: the day in the file name.', example: '2026-06-30' }),
    note,
  }),
  answer: Attempt,
  refusals: ['unknown_id', 'conflict'],
} as const satisfies Endpoint

const DISCARD = {
  ...COMMON,
  summary: 'Discard a refused file',
  summaryZh: '捨棄遭拒檔案',
  description:
    'Deletes the stored copy of the file and its report. Later calls for the same file return the recorded outcome. The audit log records the action.',
  path: OneFile,
  body: z.strictObject({ note }),
  answer: Discarded,
  refusals: ['unknown_id', 'conflict'],
} as const satisfies Endpoint

const INBOX = {
  ...COMMON,
  summary: 'Waiting and recently imported files of the inbox',
  summaryZh: '收件匣狀態',
  query: z.object(MOST),
  answer: Inbox,
  example: {},
} as const satisfies Endpoint

const FEEDS = {
  ...COMMON,
  summary: 'Feeds: last run, result, next run and days at risk',
  summaryZh: '資料來源的執行狀態、排程與即將遺失的日期',
  answer: Feeds,
  example: {},
} as const satisfies Endpoint

const QUEUES = {
  ...COMMON,
  summary: 'Queues: uncommitted usage, mail, payment events',
  summaryZh: '待處理佇列：用量、郵件、付款事件',
  answer: Queues,
  example: {},
} as const satisfies Endpoint

const SLOW = {
  ...COMMON,
  summary: 'The slowest reads of the last hour',
  summaryZh: '最近一小時最慢的讀取',
  description: 'Lists up to 50 reads of the last hour, slowest first. Parameters of reads are not stored.',
  answer: SlowReads,
  example: {},
} as const satisfies Endpoint

export function operatorRoutes(deps: OperatorDeps): readonly Route<'admin_token'>[] {
  const [oversight, files, { intake }] = [createOversight(deps), createSettleFiles(deps), deps]
  return [
    route('GET /v2/admin/releases', RELEASES, () => oversight.releases()),
    route('GET /v2/admin/releases/:dataset_key', HISTORY, ({ params, query }) => oversight.releasesOf(params.dataset_key, query.limit)),
    route('GET /v2/admin/damage', DAMAGE, () => oversight.damage()),
    route('GET /v2/admin/quarantine', QUARANTINE, async ({ query }) => {
      const { count, files, settled } = await intake.quarantine(query.limit)
      return { kept: count, data_count: files.length, data: files.map(refusedOf), settled: [...settled] }
    }),
    route('GET /v2/admin/quarantine/:file_id', REPORT, async ({ params: { file_id: id } }) => {
      const { file, settled, attempt } = await files.find(id)
      return {
        id,
        file: file && refusedOf(file),
        faults: faultsOf(file?.faults ?? [], file),
        acceptable: file?.acceptable ?? [],
        settled,
        attempt: attempt && attemptOf(attempt, file),
      }
    }),
    route('POST /v2/admin/quarantine/:file_id/accept', ACCEPT, async call => {
      const { accept: rules, date = null, note = null } = call.body
      const before = await files.find(call.params.file_id)
      return attemptOf(await files.accept(call.params.file_id, { rules, date, note }, call), before.file)
    }),
    route('POST /v2/admin/quarantine/:file_id/discard', DISCARD, call => files.discard(call.params.file_id, call.body.note ?? null, call)),
    route('GET /v2/admin/inbox', INBOX, async ({ query }) => {
      const { waiting, left, taken } = await intake.inbox(query.limit)
      const shown = <T extends { readonly modifiedAt: string }>({ modifiedAt, ...file }: T) => ({ ...file, modified_at: modifiedAt })
      const watching = deps.workers().some(({ name, running }) => name === 'watch' && running)
      const lists = { waiting: waiting.slice(0, query.limit).map(shown), left: left.slice(0, query.limit).map(shown), taken }
      return { ...lists, waiting_count: waiting.length, watching }
    }),
    route('GET /v2/admin/feeds', FEEDS, async () => {
      const data = (await intake.feeds()).map(feed => ({ ...feed, at_risk: daysAtRisk(feed, deps) }))
      return { data_count: data.length, data }
    }),
    route('GET /v2/admin/queues', QUEUES, () => oversight.queues()),
    route('GET /v2/admin/slow-reads', SLOW, () => oversight.slowReads()),
  ]
}

const refusedOf = ({ id, for: name, file, bytes, refusedAt, hasCopy, faults }: IntakeFile) => ({
  id,
  for: name,
  file,
  size_bytes: bytes,
  refused_at: refusedAt,
  has_copy: hasCopy,
  rules: [...new Set(faults.map(({ rule }) => rule))],
})

/** Names of exceptions, by rule. Other exceptions have the name of the rule. */
const WAIVERS: Readonly<Record<string, string>> = { derived_differs: 'derived_as_given' }

const faultsOf = (faults: IntakeFile['faults'], file: Pick<IntakeFile, 'acceptable'> | null) =>
  faults.map(({ rule, column = null, count = null, samples = [], message, message_zh = null }) => {
    const waiver = WAIVERS[rule] ?? rule
    return { rule, column, count, message, message_zh, samples, accept: file?.acceptable.includes(waiver) ? waiver : null }
  })

function attemptOf(answer: AcceptAnswer, file: IntakeFile | null) {
  const { id } = answer
  const nothing = { id, releases: {}, faults: [], said: null, settled: null }
  if (answer.outcome === 'running') return { ...nothing, outcome: answer.outcome }
  if (answer.outcome === 'failed') return { ...nothing, outcome: answer.outcome, said: answer.said }
  if (answer.outcome === 'refused') return { ...nothing, outcome: answer.outcome, faults: faultsOf(answer.faults, file) }
  const { outcome, releases } = answer
  return { ...nothing, outcome: outcome as Exclude<typeof outcome, 'discarded'>, releases, settled: answer }
}
