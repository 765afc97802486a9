import { createHash } from 'node:crypto'
import { z } from 'zod'
import { Refusal, taipei, type Words } from '../../../core/index.ts'
import { createReadReleases, type ReleaseDeps, type ReleasesAnswer, requiredPlanOf, type TableAnswer } from '../../../operations/index.ts'
import { DOCUMENTS, partFiles } from '../../../releases/index.ts'
import { type Endpoint, encoded, formed, integer, type LeastPlan, type Route, route, unchanged } from '../../kernel/index.ts'
import { DatasetKey } from './parts.ts'
import { ReleaseList, TableVersionList } from './schemas.ts'

/**
 * A release id, or a day as `YYYYMMDD`. Ids are compared as text, so a day in another form would
 * select wrong releases.
 */
const BEFORE = /^[1-9]\d{7}(T\d{9}Z(-preview)?)?$/
const BEFORE_WORDS: Words = {
  en: 'must be a release id, for example 20260701T120000000Z, or its day, 20260701',
  zh: '必須是版本識別碼，例如 20260701T120000000Z，或其開頭的日期 20260701',
}

const RELEASES = {
  summary: 'Retained releases of a dataset',
  summaryZh: '資料集保留的版本，以及目前提供的版本',
  description:
    'Lists the retained releases, newest first. `served` is true for the release that reads use. A request with `If-None-Match` returns 304 until another release is published or served. Free of charge.',
  group: 'tables',
  caller: 'api_key',
  path: DatasetKey,
  query: z.object({
    limit: integer([1, 50], 20, { doc: 'Maximum number of releases to return.' }),
    before: formed(BEFORE, BEFORE_WORDS, {
      doc: 'Cursor: id of the last release on the previous page. Returns releases older than this release, which may be deleted. A day, for example 20260701, selects releases before this day.',
      example: '20260701T120000000Z',
    }),
  }),
  answer: ReleaseList,
  refusals: ['unknown_dataset', 'plan_required', 'overloaded'],
  example: { path: { dataset_key: 'securities-firm-master' } },
} as const satisfies Endpoint

const DOCUMENT = {
  summary: 'Documents of a release: its manifest, the sha256 of the manifest, and statistics by key and day',
  summaryZh: '版本的附屬文件：檔案清單（manifest）及其 sha256、各代號與各日期的統計',
  description: 'Returns a document that a copy of a release needs, byte for byte as published. Free of charge.',
  group: 'tables',
  caller: 'api_key',
  path: DatasetKey.extend({
    release: z.string().meta({ description: 'Id of a retained release.', example: '20260701T120000000Z' }),
    document: z.string().meta({ description: `Name of the document: ${DOCUMENTS.join(', ')}.`, example: DOCUMENTS[0] }),
  }),
  answer: 'application/octet-stream',
  refusals: ['unknown_dataset', 'plan_required', 'unknown_id', 'release_retired', 'integrity', 'overloaded'],
} as const satisfies Endpoint

const TABLE = {
  summary: 'Versions of the Delta table of a dataset, with their commits',
  summaryZh: '資料集開放資料表的版本與提交紀錄',
  description:
    'Lists the versions of the Delta table with their commits, oldest first. Write each commit to the Delta log of a copy, so that the copy has the same version numbers. Free of charge.',
  group: 'tables',
  caller: 'api_key',
  path: DatasetKey,
  query: z.object({
    from: integer([0, 2 ** 31 - 1], 0, { doc: 'First version to return.' }),
    limit: integer([1, 100], 20, { doc: 'Maximum number of versions to return.' }),
  }),
  answer: TableVersionList,
  refusals: ['unknown_dataset', 'plan_required', 'overloaded'],
  example: { path: { dataset_key: 'securities-firm-master' } },
} as const satisfies Endpoint

/** Copies of a dataset need these documents in addition to the files. */
export function releaseRoutes(deps: ReleaseDeps): readonly Route<'api_key'>[] {
  const read = createReadReleases(deps)
  const visitors: LeastPlan = ({ params }) => requiredPlanOf(deps.catalog, params['dataset_key']!)
  return [
    route('GET /v2/datasets/:dataset_key/releases', { ...RELEASES, visitors }, async call => {
      const body = JSON.stringify(viewOf(await read.list(call.caller, call.params.dataset_key, call.query)))
      const headers = { etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"` }
      return call.isKnown(headers.etag) ? unchanged({ headers }) : encoded(Buffer.from(body), { headers })
    }),
    route('GET /v2/datasets/:dataset_key/table', { ...TABLE, visitors }, async ({ caller, params, query }) =>
      tableView(await read.table(caller, params.dataset_key, query)),
    ),
    route('GET /v2/datasets/:dataset_key/releases/:release/:document', DOCUMENT, async ({ caller, params }) => {
      const document = DOCUMENTS.find(name => name === params.document)
      if (!document) throw new Refusal('unknown_id', { allowed: DOCUMENTS })
      return read.document(caller, params.dataset_key, params.release, document)
    }),
  ]
}

const tableView = ({ dataset, versions }: TableAnswer): z.input<typeof TableVersionList> => ({
  dataset: dataset.id,
  slug: dataset.slug,
  data_count: versions.length,
  data: versions.map(({ version, release, servedAt, commit }) => ({
    version,
    release,
    served_at: taipei(new Date(servedAt)),
    commit,
  })),
})

const viewOf = ({ dataset, served, table, count, releases, notes }: ReleasesAnswer): z.input<typeof ReleaseList> => ({
  dataset: dataset.id,
  slug: dataset.slug,
  served,
  table: table && { version: table.version, release: table.release, log_sha256: table.sha256 },
  releases_count: count,
  data_count: releases.length,
  data: releases.map(({ id, manifest }) => {
    const files = partFiles(manifest)
    return {
      release: id,
      served: id === served,
      parent: manifest.parent,
      published_at: manifest.published_at,
      data_as_of: manifest.data_as_of,
      synthetic: manifest.synthetic,
      rows: manifest.statistics.rows,
      files: files.length,
      bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
      note: notes.get(id) ?? null,
    }
  }),
})
