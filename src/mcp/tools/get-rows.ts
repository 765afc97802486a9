import { z } from 'zod'
import { crossSections, pathOf, served } from '../../../catalog/index.ts'
import type { Grant } from '../../core/index.ts'
import {
  type CountRows,
  createCountRows,
  createReadDataset,
  type ReadDataset,
  type ReadDeps,
  type ReadMeta,
  requireDataset,
} from '../../operations/index.ts'
import { settledAsOf } from '../../read/index.ts'
import { readCursor, textOrNull, wholeNumber, writeCursor } from '../cursors.ts'
import { maxFitting, takeFitting } from '../tokens.ts'
import { Cost, costOf, inCredits, requireCaller, type Tool, type ToolCall, tool } from '../tool.ts'
import { parseRowsQuery, type RowsQuery } from './rows-query.ts'
import { createSignFiles, type FilesDeps, SignedFiles } from './signed-files.ts'

export interface RowsDeps extends ReadDeps, FilesDeps {}

const DEFAULT_ROWS = 50
const MAX_ROWS = 1_000

const Text = z.union([z.string(), z.number(), z.boolean()])

const INPUT = z.strictObject({
  dataset: z.string().min(1).max(100).meta({ description: 'Slug of the dataset, for example daily-prices.' }),
  columns: z
    .array(z.string().min(1).max(100), { error: 'specify the required columns as a list; describe_dataset lists all columns' })
    .min(1, 'specify at least one column; describe_dataset lists all columns')
    .max(100)
    .optional()
    .meta({
      description: 'Columns to return, in this order. Required unless files is true. Fewer columns allow more rows.',
    }),
  filters: z
    .record(z.string().max(100), z.union([Text, z.array(Text).min(1).max(500)]))
    .default({})
    .meta({
      description:
        'Filters by name, as listed by describe_dataset, for example {"symbol":"2330","start_date":"2026-06-01"}. For a filter that accepts several values, the value may be a list.',
    }),
  cross_section: z
    .boolean()
    .default(false)
    .meta({ description: 'If true, reads all keys of one day, with the cross_section_filters of describe_dataset.' }),
  sort: z
    .string()
    .max(500)
    .optional()
    .meta({ description: 'Columns to sort by, separated by commas, with a minus sign for descending order: -trade_date,ticker.' }),
  range: z.string().max(500).optional().meta({
    description:
      'Numeric ranges that rows must match, for example close:100..250,volume:1000.. (ends inclusive). ..< excludes the upper end.',
  }),
  limit: z.int().min(1).max(MAX_ROWS).default(DEFAULT_ROWS),
  cursor: z.string().max(1_000).optional().meta({ description: 'Cursor: next_cursor of the previous page. Send the same arguments.' }),
  release: z.string().max(40).optional().meta({ description: 'Id of the retained release to read. Default: the served release.' }),
  as_of: z.string().max(40).optional().meta({
    description:
      'Day (end of the day in Taipei) or RFC 3339 time. Returns the rows served at this time, without later revisions. Not with release.',
  }),
  files: z.boolean().default(false).meta({
    description:
      'Returns URLs of the Parquet files instead of rows, valid for one hour without a key, for programs that read full histories. The filters symbol, start_date and end_date select the files. Files contain all columns and may contain further rows. The list costs as much as reading the same rows in pages of the plan’s maximum size.',
  }),
})

const Cell = z.unknown()

const Download = z.object({
  csv_url: z.string(),
  parquet_url: z.string(),
  most_rows: z.int().meta({ description: 'Maximum number of rows per response in the plan.' }),
  how: z.string(),
})

const Output = z.object({
  dataset: z.string(),
  release: z.string().nullable().meta({ description: 'Release that all pages read. Null if there is none.' }),
  as_of: z.string().optional(),
  data_as_of: z.string().nullable().meta({ description: 'Newest day of the data. Null if there is no data.' }),
  columns: z.array(z.string()),
  total: z.int().nullable().meta({ description: 'Total number of rows. Null if counting would scan more than 100,000 rows.' }),
  returned: z.int(),
  next_cursor: z.string().nullable().meta({ description: 'Cursor of the next page. Null on the last page.' }),
  rows: z.array(z.array(Cell)).meta({ description: 'Values in the order of columns.' }),
  empty_reason: z.string().nullable().meta({ description: 'Reason why there are no rows. Null if there are rows.' }),
  unknown_symbols: z
    .array(z.object({ symbol: z.string(), did_you_mean: z.array(z.object({ symbol: z.string(), name: z.string() })) }))
    .optional()
    .meta({ description: 'Requested tickers that no dataset has, with similar tickers.' }),
  known_gaps: z.array(z.string()),
  warnings: z.array(z.string()).meta({ description: 'Warnings to report with the rows. synthetic_sample_data: the rows are synthetic.' }),
  download: Download.optional().meta({ description: 'URLs of all rows of this query. Absent if there are no further rows.' }),
  files: SignedFiles.optional().meta({ description: 'List of files. Absent unless files is true.' }),
  ...Cost.shape,
})

export function getRowsTool(deps: RowsDeps, isFree: boolean): Tool {
  const read = createReadDataset(deps)
  const count = createCountRows(deps)
  const signFiles = createSignFiles(deps)
  const sections = new Map(crossSections(deps.catalog).map(section => [section.sectionOf.slug, section]))
  const prices = served(deps.catalog).map(({ access }) => access!.credits)
  const price = isFree ? 'none' : `${Math.min(...prices)} to ${inCredits(Math.max(...prices))} per call, as listed by describe_dataset`
  return tool(
    {
      name: 'get_rows',
      title: 'Read rows of a dataset',
      description: `Returns rows of one dataset: selected columns, filtered and sorted, ${DEFAULT_ROWS} rows by default. Call describe_dataset first for columns, filters and units. Sort by the required column and request few rows: for the last day of a security, sort by -<day column> with limit 1. total and next_cursor show whether more rows exist. Price: ${price}.`,
      input: INPUT,
      output: Output,
    },
    async (input, call) => {
      const caller = requireCaller(call)
      const query = parseRowsQuery(requireDataset(deps.catalog, input.dataset), sections, input)
      if (input.files) return signFiles(query, caller, call)
      const { cursor, limit, files: _, ...repeated } = input
      const cursorArgs = { tool: 'get_rows', ...repeated }
      const position = cursor === undefined ? undefined : parsePosition(cursor, cursorArgs)
      const { rows, meta, offset } = await readPage(read, query, { limit: Math.min(limit, maxRowsOf(query)), position }, caller, call)
      const facts = {
        dataset: meta.dataset.slug,
        release: meta.release?.id ?? null,
        ...(meta.asOf && { as_of: meta.asOf.text }),
        data_as_of: meta.release?.manifest.data_as_of ?? null,
        columns: [...query.columns],
        empty_reason: meta.empty,
        known_gaps: [...meta.gaps],
        ...(meta.unknown.length > 0 && {
          unknown_symbols: meta.unknown.map(({ symbol, did_you_mean }) => ({ symbol, did_you_mean: [...did_you_mean] })),
        }),
        warnings: [...meta.warnings, ...meta.readWarnings],
        ...costOf(call, meta.charge),
      }
      const pin = pinOf(meta, deps.clock())
      const link = deps.served && !caller.isVisitor ? downloadLinks(deps.served.origin(), query, pin, caller) : undefined
      const fittingRows = takeFitting(rows, { ...facts, link })
      const hasMore = fittingRows.length < rows.length || meta.next !== null
      const total = position ? position.total : hasMore ? await countTotal(count, query, pin, caller) : offset + rows.length
      const next = [offset + fittingRows.length, pin.release ?? null, total, ...(pin.as_of === undefined ? [] : [pin.as_of])]
      return {
        ...facts,
        total,
        returned: fittingRows.length,
        next_cursor: hasMore ? writeCursor(next, cursorArgs) : null,
        rows: fittingRows.map(row => [...row]),
        ...(hasMore && link && { download: link }),
      }
    },
  )
}

interface RowsPosition {
  readonly offset: number
  readonly pin: Pin
  /** Counted once, for the first page. Null if counting takes too long. */
  readonly total: number | null
}

/** @throws Refusal invalid_cursor */
function parsePosition(cursor: string, cursorArgs: object): RowsPosition {
  const [offset, sentRelease, total, sentAsOf = null] = readCursor(cursor, cursorArgs)
  const [release, as_of] = [textOrNull(sentRelease), textOrNull(sentAsOf)]
  const pin = { ...(release !== null && { release }), ...(as_of !== null && { as_of }) }
  return { offset: wholeNumber(offset), pin, total: total === null ? null : wholeNumber(total) }
}

/** Parameters by which all pages read the same release. Empty if the dataset has no release. */
interface Pin {
  readonly release?: string
  readonly as_of?: string
}

const pinOf = ({ asOf, release }: ReadMeta, now: Date): Pin =>
  asOf ? { as_of: settledAsOf(asOf, release, now) } : release ? { release: release.id } : {}

const maxRowsOf = ({ dataset, columns }: RowsQuery): number =>
  maxFitting(dataset.example.map(row => columns.map(name => row[name] ?? null)))

type Row = readonly z.input<typeof Cell>[]

interface Page {
  readonly rows: readonly Row[]
  readonly meta: ReadMeta
  readonly offset: number
}

async function readPage(
  read: ReadDataset,
  { dataset, params, columns }: RowsQuery,
  { limit, position }: { readonly limit: number; readonly position: RowsPosition | undefined },
  caller: Grant,
  { requestId, isDisconnected, time }: ToolCall,
): Promise<Page> {
  const window = {
    limit: String(limit),
    ...(position && { offset: String(position.offset), ...position.pin }),
  }
  const input = { dataset, params: { ...params, ...window, format: 'ndjson' } }
  // Omits `onSent`, because the whole body is read here.
  const { meta, body } = await read(caller, input, { requestId, isDisconnected, time })
  const pieces: Buffer[] = []
  if (Buffer.isBuffer(body)) pieces.push(body)
  else for await (const piece of body!) pieces.push(piece)
  const lines = Buffer.concat(pieces)
    .toString('utf8')
    .split('\n')
    .filter(line => line !== '')
  const rows = lines.map(line => {
    const row = JSON.parse(line) as Readonly<Record<string, z.input<typeof Cell>>>
    return columns.map(name => row[name] ?? null)
  })
  return { rows, meta, offset: position?.offset ?? 0 }
}

/** Null if counting takes too long. */
async function countTotal(count: CountRows, { dataset, params }: RowsQuery, pin: Pin, caller: Grant): Promise<number | null> {
  // The read is already charged, so errors of the count are ignored.
  return count(caller, { dataset, params: { ...params, ...pin } }).catch(() => null)
}

/** Returns all rows over HTTP, with the same API key. */
function downloadLinks(origin: string, { dataset, params }: RowsQuery, pin: Pin, { limits }: Grant): z.input<typeof Download> {
  const { rowLimit } = limits
  const query = new URLSearchParams({
    ...(params as Record<string, string>),
    ...pin,
    limit: String(rowLimit),
  })
  const url = (format: string): string => `${origin}${pathOf(dataset)}?${query}&format=${format}`
  return {
    csv_url: url('csv'),
    parquet_url: url('parquet'),
    most_rows: rowLimit,
    how: `GET with the same API key in X-API-Key; ${inCredits(dataset.access!.credits)} per response.`,
  }
}
