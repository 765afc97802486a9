import { createHash } from 'node:crypto'
import { z } from 'zod'
import { Refusal, type Words } from '../../../core/index.ts'
import { createReadReleases, type ReleaseDeps, type ReleasesAnswer, requiredPlanOf } from '../../../operations/index.ts'
import { DOCUMENTS, partFiles } from '../../../releases/index.ts'
import { type Endpoint, encoded, formed, integer, type LeastPlan, type Route, route, unchanged } from '../../kernel/index.ts'
import { DatasetKey } from './parts.ts'
import { ReleaseList } from './schemas.ts'

/** What ids of releases begin with, so that the two compare as texts: a day written otherwise would list others, or all. */
const BEFORE = /^[1-9]\d{7}(T\d{9}Z(-preview)?)?$/
const BEFORE_WORDS: Words = {
  en: 'must be the id of a release, such as 20260701T120000000Z, or the day it begins with, 20260701',
  zh: '必須是版本識別碼，例如 20260701T120000000Z，或其開頭的日期 20260701',
}

const RELEASES = {
  summary: 'Releases of a dataset that are kept, and which of them is served',
  summaryZh: '資料集保留的版本，以及目前提供的版本',
  description: 'Newest first. Free of charge; If-None-Match with the ETag is answered 304 until another one is published or served.',
  group: 'tables',
  caller: 'api_key',
  path: DatasetKey,
  query: z.object({
    limit: integer([1, 50], 20, { doc: 'Most releases of the answer.' }),
    before: formed(BEFORE, BEFORE_WORDS, {
      doc: 'Lists releases older than this id, which need not be kept, or than the day it begins with.',
      example: '20260701T120000000Z',
    }),
  }),
  answer: ReleaseList,
  refusals: ['unknown_dataset', 'plan_required', 'overloaded'],
  example: { path: { dataset_key: 'securities-firm-master' } },
} as const satisfies Endpoint

const DOCUMENT = {
  summary: 'What stands beside the files of a release: its manifest, the sha256 of that, its statistics by key and day',
  summaryZh: '版本的附屬文件：清單、清單之 sha256、各代號與日期之統計',
  description: 'Byte for byte as it was published, for copies of a release. Free of charge.',
  group: 'tables',
  caller: 'api_key',
  path: DatasetKey.extend({
    release: z.string().meta({ description: 'A release that is kept.', example: '20260701T120000000Z' }),
    document: z.string().meta({ description: `One of ${DOCUMENTS.join(', ')}.`, example: DOCUMENTS[0] }),
  }),
  answer: 'application/octet-stream',
  refusals: ['unknown_dataset', 'plan_required', 'unknown_id', 'release_retired', 'integrity', 'overloaded'],
} as const satisfies Endpoint

/** What a copy of a dataset is made from, beside its files. */
export function releaseRoutes(deps: ReleaseDeps): readonly Route<'api_key'>[] {
  const read = createReadReleases(deps)
  const visitors: LeastPlan = ({ params }) => requiredPlanOf(deps.catalog, params['dataset_key']!)
  return [
    route('GET /v2/datasets/:dataset_key/releases', { ...RELEASES, visitors }, async call => {
      const body = JSON.stringify(viewOf(await read.list(call.caller, call.params.dataset_key, call.query)))
      const headers = { etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"` }
      return call.isKnown(headers.etag) ? unchanged({ headers }) : encoded(Buffer.from(body), { headers })
    }),
    route('GET /v2/datasets/:dataset_key/releases/:release/:document', DOCUMENT, async ({ caller, params }) => {
      const document = DOCUMENTS.find(name => name === params.document)
      if (!document) throw new Refusal('unknown_id', { allowed: DOCUMENTS })
      return read.document(caller, params.dataset_key, params.release, document)
    }),
  ]
}

const viewOf = ({ dataset, served, count, releases, notes }: ReleasesAnswer): z.input<typeof ReleaseList> => ({
  dataset: dataset.id,
  slug: dataset.slug,
  served,
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
