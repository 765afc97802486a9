import { z } from 'zod'
import { type Dataset, pathOf } from '../../../catalog/index.ts'
import type { Gate } from '../../access/index.ts'
import { type Fault, type Grant, isDay, parameterRefusal, taipei } from '../../core/index.ts'
import { createListParts, type MeterDeps, type PartsDeps, partsInput, releaseFacts } from '../../operations/index.ts'
import { fitting } from '../tokens.ts'
import { costOf, type ToolCall } from '../tool.ts'
import type { Asked } from './asked.ts'

/** Where files are read from. */
export interface Served extends Pick<Gate, 'signFile'> {
  /** Of the service, without a path. */
  readonly origin: () => string
}

/** What URLs of files are made from. */
export interface FilesDeps extends Omit<PartsDeps, 'gate'> {
  readonly gate: MeterDeps['gate']
  /** Null where nothing is served, only a data folder read. */
  readonly served: Served | null
}

/** Files of rows, each with the URL that reads it. */
export const SignedFiles = z.object({
  expires_at: z.string().nullable().meta({ description: 'When the URLs end.' }),
  total: z.int().meta({ description: 'Files in all; where more than returned, choose by symbol or dates.' }),
  returned: z.int(),
  rows: z.int().meta({ description: 'Rows of all files.' }),
  bytes: z.int(),
  list: z.array(
    z.object({
      url: z.string(),
      rows: z.int(),
      bytes: z.int(),
      first_key: z.string().nullable(),
      last_key: z.string().nullable(),
      first_date: z.string().nullable(),
      last_date: z.string().nullable(),
    }),
  ),
})

/** Lists the files that hold what is asked for, for the price of their rows. */
export function createSignFiles({ served, gate, ...deps }: FilesDeps) {
  const listParts = served && createListParts({ ...deps, gate: { ...gate, signFile: served.signFile } })
  return async ({ dataset, params, columns }: Asked, caller: Grant, call: ToolCall) => {
    const of = dataset.sectionOf ?? dataset
    if (!listParts || caller.isVisitor) throw parameterRefusal(of, [WITHOUT_FILES])
    const { requestId, isDisconnected, time } = call
    const { release, files, rows, bytes, meta } = await listParts(
      caller,
      of,
      chosenBy(of, params),
      { requestId, isDisconnected, time },
      chosen => refuseTooMany(of, chosen),
    )
    const { gaps, warnings } = releaseFacts(of, release)
    const facts = {
      dataset: of.slug,
      release: release.id,
      data_as_of: release.manifest.data_as_of,
      columns: [...columns],
      total: rows,
      returned: 0,
      next_cursor: null,
      rows: [],
      empty_reason: null,
      known_gaps: [...gaps],
      warnings: [...warnings],
      ...costOf(call, meta.charge),
    }
    const list = files.map(({ file: { rows, bytes, first_key, last_key, first_date, last_date }, url }) => ({
      url: `${served.origin()}${url.path}`,
      rows,
      bytes,
      first_key,
      last_key,
      first_date,
      last_date,
    }))
    const shown = fitting(list, facts)
    const expires_at = files[0] ? taipei(files[0].url.expiresAt) : null
    return { ...facts, files: { expires_at, total: list.length, returned: shown.length, rows, bytes, list: [...shown] } }
  }
}

/** Files whose URLs fit one answer: an entry takes some 155 tokens. */
const MOST_FILES = 100

/** @throws Refusal invalid_parameter where URLs would be paid for that do not fit the answer */
function refuseTooMany(dataset: Dataset, { files, credits }: { readonly files: number; readonly credits: number }): void {
  if (files <= MOST_FILES) return
  const words = {
    en: `${files} files hold these rows, for ${credits} credits; an answer has room for ${MOST_FILES}. Choose them by symbol, or list all of them with GET ${pathOf(dataset)}/parts`,
    zh: `符合的檔案有 ${files} 個，共 ${credits} 點；單次回應至多 ${MOST_FILES} 個。請以 symbol 縮小範圍，或以 GET ${pathOf(dataset)}/parts 列出全部`,
  }
  throw parameterRefusal(dataset, [{ loc: ['arguments', 'filters'], words, type: 'too_many' }])
}

/** @throws Refusal invalid_parameter for what files cannot be chosen by */
function chosenBy(dataset: Dataset, { columns: _, release, ...filters }: Asked['params']) {
  const known = ['symbol', 'start_date', 'end_date'] as const
  const faults = Object.keys(filters).flatMap(name => (known.some(one => one === name) ? [] : [notForFiles(name)]))
  const { symbol = null, start_date = null, end_date = null } = filters as Readonly<Record<string, string | undefined>>
  for (const [name, day] of Object.entries({ start_date, end_date })) if (day !== null && !isDay(day)) faults.push(noDay(name))
  if (faults.length > 0) throw parameterRefusal(dataset, faults)
  return partsInput(dataset, {
    symbol,
    start_date,
    end_date,
    release: release === undefined ? null : String(release),
    since: null,
    months: false,
  })
}

const WITHOUT_FILES: Fault = {
  loc: ['arguments', 'files'],
  words: { en: 'files are for holders of an API key of the service; leave files out', zh: '檔案僅提供給持有 API 金鑰者；請省略 files' },
  type: 'enum',
}
const notForFiles = (name: string): Fault => ({
  loc: ['arguments', 'filters', name],
  words: {
    en: `${name}: files are chosen by symbol, start_date and end_date only`,
    zh: `${name}：檔案只能以 symbol、start_date 與 end_date 選擇`,
  },
  type: 'unknown_parameter',
})
const noDay = (name: string): Fault => ({
  loc: ['arguments', 'filters', name],
  words: { en: `${name} must be a day such as 2026-06-30`, zh: `${name} 必須是日期，例如 2026-06-30` },
  type: 'date',
})
