import { z } from 'zod'
import type { Dataset } from '../../../../catalog/index.ts'
import { serverTiming, taipei } from '../../../core/index.ts'
import {
  createDryListParts,
  createListParts,
  MAX_KEYS,
  type PartsAnswer,
  type PartsDeps,
  partsInput,
  releaseFacts,
  requireDataset,
} from '../../../operations/index.ts'
import {
  answered,
  DRY_RUN_PARAM,
  DryRunAnswer,
  day,
  dryRunAnswer,
  type Endpoint,
  flag,
  headersAlone,
  isDryRun,
  labelList,
  type Route,
  readQuery,
  releaseHeaders,
  route,
  text,
} from '../../kernel/index.ts'
import { PartList } from './schemas.ts'

export interface PartRouteDeps extends PartsDeps {
  readonly origin: () => string
}

export const DatasetKey = z.object({
  dataset_key: z.string().meta({ description: 'Slug or id of a dataset.', example: 'bond-yield-curve' }),
})

const QUERY = z.object({
  symbol: text(8_000, {
    doc: `Up to ${MAX_KEYS} keys, separated by commas. The list omits files that cannot contain these keys.`,
  }),
  start_date: day({ doc: 'First day to include. The list omits files whose last day is earlier.' }),
  end_date: day({ doc: 'Last day to include. The list omits files whose first day is later.' }),
  release: text(40, { doc: 'Retained release whose files to list. Default: the newest release.' }),
  as_of: text(40, {
    doc: 'Lists the files of the release that was served at the end of this day in Taipei, or at this RFC 3339 time. Not together with `release`. Files may contain rows that were announced later.',
  }),
  since: text(40, { doc: 'Release that you already copied. Omits the files of this release. The release must be retained.' }),
  months: flag(false, { doc: '`true` also lists the files by month, which a full copy of the release requires.' }),
  dry_run: flag(false, { doc: DRY_RUN_PARAM }),
})

const PARTS = {
  summary: 'Data files of a release, each with a download URL',
  summaryZh: '版本的資料檔清單，每個檔案附讀取網址',
  description:
    'Lists the Parquet files of a release, for engines that read Parquet and for full histories. Download URLs are valid for one hour, require no key, support range requests, and are free of charge. Files also contain rows that were not requested, so filter the rows after reading. The number of reads charged is the number of listed rows divided by the maximum rows per response of the plan, rounded up. Files by month contain the same rows as files by key, so only the larger of the two row counts is charged.',
  group: 'tables',
  caller: 'api_key',
  path: DatasetKey,
  query: QUERY,
  unparsed: true,
  answer: PartList,
  dryRun: DryRunAnswer,
  pricedBy: 'rows',
  cache: 'no-store',
  refusals: [
    'unknown_dataset',
    'plan_required',
    'unknown_id',
    'release_retired',
    'credits_exhausted',
    'concurrency_limited',
    'integrity',
    'overloaded',
    'data_unavailable',
    'dataset_building',
  ],
  example: { path: { dataset_key: 'securities-firm-master' } },
} as const satisfies Endpoint

export function partRoutes(deps: PartRouteDeps): readonly Route<'api_key'>[] {
  const [listParts, dryListParts] = [createListParts(deps), createDryListParts(deps)]
  return [
    route('GET /v2/datasets/:dataset_key/parts', PARTS, async call => {
      const dataset = requireDataset(deps.catalog, call.params.dataset_key)
      const isDry = isDryRun(call.sent)
      if (!isDry) deps.gate.checkPlan(call.caller, dataset)
      const input = partsInput(dataset, readQuery(QUERY, call.sent))
      if (isDry) return dryRunAnswer(await dryListParts(call.caller, dataset, input), call)
      const answer = await listParts(call.caller, dataset, input, call)
      const ofRelease = releaseHeaders(releaseFacts(dataset, answer.release))
      const headers = {
        ...ofRelease,
        'x-as-of': answer.asOf ?? undefined,
        'x-warnings': labelList(answer.listWarnings, ofRelease['x-warnings']),
        'x-row-count': answer.rows,
        'server-timing': serverTiming(answer.meta.timings),
      }
      if (call.planOnly) return headersAlone({ headers, charge: answer.meta.charge })
      return answered(viewOf(dataset, answer, deps.origin()), { headers, charge: answer.meta.charge })
    }),
  ]
}

const viewOf = (
  dataset: Dataset,
  { release, asOf, listWarnings, files, rows, bytes }: PartsAnswer,
  origin: string,
): z.input<typeof PartList> => ({
  dataset: dataset.id,
  slug: dataset.slug,
  release: release.id,
  ...(asOf !== null && { as_of: asOf }),
  data_as_of: release.manifest.data_as_of,
  synthetic: release.manifest.synthetic,
  known_gaps: releaseFacts(dataset, release).gaps,
  warnings: [...releaseFacts(dataset, release).warnings, ...listWarnings],
  expires_at: files[0] ? taipei(files[0].url.expiresAt) : null,
  row_count: rows,
  bytes,
  data_count: files.length,
  data: files.map(({ file, kind, url }) => ({
    release: release.id,
    url: `${origin}${url.path}`,
    bytes: file.bytes,
    rows: file.rows,
    sha256: file.sha256,
    kind,
    first_key: file.first_key,
    last_key: file.last_key,
    first_date: file.first_date,
    last_date: file.last_date,
  })),
})
