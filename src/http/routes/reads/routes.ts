import { z } from 'zod'
import { type Catalog, crossSections, type Dataset, pathOf, served } from '../../../../catalog/index.ts'
import { serverTiming } from '../../../core/index.ts'
import { type Body, ENCODERS } from '../../../formats/index.ts'
import {
  createDryReadDataset,
  createReadDataset,
  type DryReadDataset,
  type ReadDeps as OperationDeps,
  type ReadDataset,
  type ReadMeta,
} from '../../../operations/index.ts'
import {
  dispositionOf,
  dryRunAnswer,
  type Endpoint,
  encoded,
  type Headers,
  headersAlone,
  isDryRun,
  labelList,
  type Route,
  releaseHeaders,
  route,
  unchanged,
} from '../../kernel/index.ts'
import { datasetEndpoint } from './declare-dataset.ts'
import { LIST, unknownHere, withoutSection } from './unknown.ts'

export interface ReadDeps extends OperationDeps {
  readonly catalog: Catalog
}

const SECTION = '/cross-section'

const UNKNOWN = {
  summary: 'Unknown dataset',
  summaryZh: '查無此資料集',
  group: 'datasets',
  caller: 'api_key',
  visitors: true,
  path: z.object({ dataset_key: z.string() }),
  unparsed: true,
  answer: z.never(),
  unlisted: 'returns only an error for an unknown dataset',
} as const satisfies Endpoint

/**
 * Each dataset has a documented route by slug, and a route by id. Unknown names are refused with
 * the nearest name.
 */
export function datasetRoutes(deps: ReadDeps): readonly Route<'api_key'>[] {
  const reads = {
    read: createReadDataset(deps),
    dryRead: createDryReadDataset(deps),
  }
  return [
    ...served(deps.catalog).map(dataset => datasetRoute(dataset, reads, pathOf(dataset), datasetEndpoint(dataset))),
    ...served(deps.catalog).flatMap(dataset =>
      pathsById(dataset).map(path => datasetRoute(dataset, reads, path, datasetEndpoint(dataset, BY_ID))),
    ),
    ...crossSections(deps.catalog).flatMap(section => [
      datasetRoute(section, reads, section.path, datasetEndpoint(section)),
      ...pathsById(section.sectionOf).map(path => datasetRoute(section, reads, `${path}${SECTION}`, datasetEndpoint(section, BY_ID))),
    ]),
    route('GET /v2/datasets/:dataset_key', UNKNOWN, ({ params }) => {
      throw unknownHere(params.dataset_key, deps.catalog)
    }),
    route(
      `GET /v2/datasets/:dataset_key${SECTION}`,
      { ...UNKNOWN, unlisted: 'returns only an error for an unknown cross-section' },
      call => {
        throw withoutSection(call.params.dataset_key, deps.catalog)
      },
    ),
  ]
}

interface DatasetDeps {
  readonly read: ReadDataset
  readonly dryRead: DryReadDataset
}

const BY_ID = 'the path by slug is the documented one'

/** Empty if the id equals the slug, or if the dataset has another path. */
const pathsById = ({ id, slug, path }: Dataset): readonly string[] =>
  path === undefined ? [...new Set([id, id.replaceAll('-', '_')])].filter(name => name !== slug).map(name => `${LIST}/${name}`) : []

const datasetRoute = (
  dataset: Dataset,
  { read, dryRead }: DatasetDeps,
  path: string,
  endpoint: ReturnType<typeof datasetEndpoint>,
): Route<'api_key'> =>
  route(`GET ${path}`, endpoint, async call => {
    const { caller, sent: params, accepted, search: text } = call
    const input = { dataset, params, accepted, text, isKnown: (etag: string) => call.isKnown(etag) }
    if (isDryRun(params)) return dryRunAnswer(await dryRead(caller, input), call)
    const { meta, body } = await read(caller, input, call)
    const { charge, format } = meta
    const encoder = ENCODERS[format]
    if (call.planOnly) return headersAlone({ headers: headersOf(meta, { 'server-timing': serverTiming(meta.timings) }), charge, encoder })
    if (body === null) return unchanged({ headers: headersOf(meta), charge, encoder })
    return answerWith(meta, body)
  })

function answerWith(meta: ReadMeta, body: Body) {
  const link = meta.next === null ? undefined : `<${pathOf(meta.dataset)}?${meta.next}>; rel="next"`
  const headers = headersOf(meta, { 'x-row-count': meta.rows, link, 'server-timing': serverTiming(meta.timings) })
  return encoded(body, { headers, charge: meta.charge, encoder: ENCODERS[meta.format] })
}

/** @param ofResponse headers that a 304 does not repeat */
function headersOf(meta: ReadMeta, ofResponse: Headers = {}): Headers {
  const ofRelease = releaseHeaders(meta)
  const name = `${meta.dataset.slug}${meta.dataset.sectionOf ? '-cross-section' : ''}-${meta.release?.id ?? 'none'}`
  return {
    ...ofRelease,
    etag: meta.etag,
    'content-disposition': dispositionOf(meta.format, name),
    'x-as-of': meta.asOf?.text,
    'x-row-limit': rowLimitOf(meta),
    'x-total-rows': meta.total ?? undefined,
    'x-empty-reason': meta.empty ?? undefined,
    'x-warnings': meta.readWarnings.length > 0 ? labelList(meta.readWarnings, ofRelease['x-warnings']) : ofRelease['x-warnings'],
    ...(meta.unknown.length > 0 && unknownHeaders(meta.unknown)),
    ...ofResponse,
  }
}

/** Some bodies cannot contain these facts. Omits company names, because headers are ASCII. */
function unknownHeaders(unknown: ReadMeta['unknown']) {
  const suggestions = new Set(unknown.flatMap(({ did_you_mean }) => did_you_mean.map(({ symbol }) => symbol)))
  return {
    'x-unknown-symbols': labelList(unknown.map(({ symbol }) => symbol)),
    'x-did-you-mean': suggestions.size > 0 ? labelList([...suggestions]) : undefined,
  }
}

/** Without a `limit`, states the default and whether there are more rows. */
function rowLimitOf({ rowLimit, limited, defaultLimit, truncated }: ReadMeta): string | number {
  if (defaultLimit !== null) return `${defaultLimit}; default${truncated ? '; more' : ''}`
  return limited ? `${rowLimit}; limited` : rowLimit
}
