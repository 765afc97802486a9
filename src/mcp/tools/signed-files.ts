import { z } from 'zod'
import { type Dataset, pathOf } from '../../../catalog/index.ts'
import type { Gate } from '../../access/index.ts'
import { type Fault, type Grant, isDay, parameterRefusal, taipei } from '../../core/index.ts'
import { createListParts, type MeterDeps, type PartsDeps, partsInput, releaseFacts } from '../../operations/index.ts'
import { takeFitting } from '../tokens.ts'
import { costOf, type ToolCall } from '../tool.ts'
import type { RowsQuery } from './rows-query.ts'

export interface FileServer extends Pick<Gate, 'signFile'> {
  readonly origin: () => string
}

export interface FilesDeps extends Omit<PartsDeps, 'gate'> {
  readonly gate: MeterDeps['gate']
  /** Null for a command without a service. */
  readonly served: FileServer | null
}

export const SignedFiles = z.object({
  expires_at: z.string().nullable().meta({ description: 'Expiry time of the URLs. Null if there are no files.' }),
  total: z.int().meta({ description: 'Total number of files. If total exceeds returned, filter by symbol or dates.' }),
  returned: z.int(),
  rows: z.int().meta({ description: 'Total number of rows in all files.' }),
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

export function createSignFiles({ served, gate, ...deps }: FilesDeps) {
  const listParts = served && createListParts({ ...deps, gate: { ...gate, signFile: served.signFile } })
  return async ({ dataset, params, columns }: RowsQuery, caller: Grant, call: ToolCall) => {
    const base = dataset.sectionOf ?? dataset
    if (!listParts || caller.isVisitor) throw parameterRefusal(base, [WITHOUT_FILES])
    const { requestId, isDisconnected, time } = call
    const { release, asOf, listWarnings, files, rows, bytes, meta } = await listParts(
      caller,
      base,
      partsOf(base, params),
      { requestId, isDisconnected, time },
      totals => refuseTooMany(base, totals),
    )
    const { gaps, warnings } = releaseFacts(base, release)
    const facts = {
      dataset: base.slug,
      release: release.id,
      ...(asOf !== null && { as_of: asOf }),
      data_as_of: release.manifest.data_as_of,
      columns: [...columns],
      total: rows,
      returned: 0,
      next_cursor: null,
      rows: [],
      empty_reason: null,
      known_gaps: [...gaps],
      warnings: [...warnings, ...listWarnings],
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
    const fittingFiles = takeFitting(list, facts)
    const expires_at = files[0] ? taipei(files[0].url.expiresAt) : null
    return { ...facts, files: { expires_at, total: list.length, returned: fittingFiles.length, rows, bytes, list: [...fittingFiles] } }
  }
}

/** Each URL takes about 155 tokens. */
const MAX_FILES = 100

/**
 * All files are charged, so the answer must contain all URLs.
 * @throws Refusal invalid_parameter
 */
function refuseTooMany(dataset: Dataset, { files, credits }: { readonly files: number; readonly credits: number }): void {
  if (files <= MAX_FILES) return
  const words = {
    en: `${files} files match, for ${credits} credits; a response contains at most ${MAX_FILES}. Filter by symbol, or list all files with GET ${pathOf(dataset)}/parts`,
    zh: `符合的檔案有 ${files} 個，共 ${credits} 點；單次回應至多 ${MAX_FILES} 個。請以 symbol 縮小範圍，或以 GET ${pathOf(dataset)}/parts 列出全部`,
  }
  throw parameterRefusal(dataset, [{ loc: ['arguments', 'filters'], words, type: 'too_many' }])
}

/** @throws Refusal invalid_parameter for filters that files do not support */
function partsOf(dataset: Dataset, { columns: _, release, as_of, ...filters }: RowsQuery['params']) {
  const allowed = ['symbol', 'start_date', 'end_date'] as const
  const faults = Object.keys(filters).flatMap(name => (allowed.some(allowedName => allowedName === name) ? [] : [notForFiles(name)]))
  const { symbol = null, start_date = null, end_date = null } = filters as Readonly<Record<string, string | undefined>>
  for (const [name, day] of Object.entries({ start_date, end_date })) if (day !== null && !isDay(day)) faults.push(invalidDay(name))
  if (faults.length > 0) throw parameterRefusal(dataset, faults)
  return partsInput(dataset, {
    symbol,
    start_date,
    end_date,
    release: release === undefined ? null : String(release),
    as_of: as_of === undefined ? null : String(as_of),
    since: null,
    months: false,
  })
}

const WITHOUT_FILES: Fault = {
  loc: ['arguments', 'files'],
  words: {
    en: 'files requires an API key of the service: send a key, or omit files',
    zh: 'files 須使用本服務的 API 金鑰；請傳送金鑰，或省略 files',
  },
  type: 'enum',
}
const notForFiles = (name: string): Fault => ({
  loc: ['arguments', 'filters', name],
  words: {
    en: `${name}: files can be filtered by symbol, start_date and end_date only`,
    zh: `${name}：檔案只能以 symbol、start_date 與 end_date 篩選`,
  },
  type: 'unknown_parameter',
})
const invalidDay = (name: string): Fault => ({
  loc: ['arguments', 'filters', name],
  words: { en: `${name} must be a day, for example 2026-06-30`, zh: `${name} 必須是日期，例如 2026-06-30` },
  type: 'date',
})
