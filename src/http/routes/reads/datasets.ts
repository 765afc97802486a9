import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Catalog, type Dataset, pathOf, served } from '../../../../catalog/index.ts'
import type { Gate } from '../../../access/index.ts'
import { type Calendar, type FreshnessState, freshnessState } from '../../../calendar/index.ts'
import { type Clock, type Log, nearest, Refusal, type Stopwatch, serverTiming, stopwatch } from '../../../core/index.ts'
import { findDataset } from '../../../discovery/index.ts'
import type { Pool } from '../../../engine/index.ts'
import {
  answerOf,
  encodeJson,
  etagOf,
  fetchPage,
  matchesEtag,
  nextLink,
  planRead,
  type ReadParams,
  type ReadPlan,
} from '../../../read/index.ts'
import type { Release, Releases } from '../../../releases/index.ts'
import { admitRead, admitRequest, answerCharged, type Body, bodyOf, sendQuotaHeaders, withSecondTry } from '../../kernel/index.ts'
import { datasetEndpoint } from './declare-dataset.ts'

export interface ReadParts {
  readonly catalog: Catalog
  readonly gate: Gate
  readonly releases: Releases
  readonly pool: Pool
  readonly calendar: Calendar
  readonly clock: Clock
  readonly log: Log
}

const LIST = '/v2/datasets'

type ReadRequest = FastifyRequest<{ Querystring: Record<string, string | string[]> }>

/** One GET route for every served dataset, and a refusal that knows the nearest name for every other. */
export function datasetRoutes(app: FastifyInstance, parts: ReadParts): void {
  const datasets = served(parts.catalog)
  for (const dataset of datasets) {
    app.get(pathOf(dataset), { config: { endpoint: datasetEndpoint(dataset) } }, (request: ReadRequest, reply) =>
      readDataset(dataset, parts, request, reply),
    )
  }
  const unlisted = 'answers nothing but that there is no such dataset'
  app.get<{ Params: { dataset_key: string } }>('/v2/datasets/:dataset_key', { config: { unlisted } }, (request, reply) => {
    admitRequest(parts.gate, request, reply)
    throw unknownHere(request.params.dataset_key, parts.catalog)
  })
}

/** What to ask instead: another path for a dataset that has its own, the list for no name at all, else the nearest name. */
function unknownHere(name: string, catalog: Catalog): Refusal {
  const allowed = served(catalog).flatMap(({ path, slug }) => (path === undefined ? [slug] : []))
  const elsewhere = findDataset(catalog, name)?.path
  if (name === '') return new Refusal('unknown_dataset', { read_at: LIST, allowed }, `No dataset is named; the list of them is at ${LIST}.`)
  const did_you_mean = nearest(name.replaceAll('_', '-').toLowerCase(), allowed) ?? null
  if (elsewhere === undefined) return new Refusal('unknown_dataset', { did_you_mean, allowed })
  return new Refusal('unknown_dataset', { read_at: elsewhere, allowed }, `This dataset has a path of its own; read it at ${elsewhere}.`)
}

/** admit → plan → fetch → encode → settle. */
async function readDataset(dataset: Dataset, parts: ReadParts, request: ReadRequest, reply: FastifyReply): Promise<Body | undefined> {
  const { gate, clock, releases, calendar } = parts
  const time = stopwatch()
  const grant = admitRead(gate, request, reply, dataset)
  let release: Release | null = null
  const read = async (): Promise<Body | undefined> => {
    release = await chooseRelease(dataset, releases, request.query['release'])
    const plan = planRead(dataset, release, request.query, grant)
    const freshness = freshnessState({ dataset, release }, clock(), calendar.isClosed)
    const known = request.headers['if-none-match']
    const tag = known === undefined ? '' : etagOf(plan, freshness, calendar)
    time.lap('plan')
    if (!matchesEtag(known, tag)) return answerPlan(plan, freshness, parts, request, reply, time)
    describe(reply, plan, tag)
    sendQuotaHeaders(reply, gate.quotaStatus(grant), 0)
    return void reply.code(304).send()
  }
  try {
    gate.checkPlan(grant, dataset)
    time.lap('admit')
    return await withSecondTry(read, async () => release && releases.reportReadFailure(release))
  } catch (error) {
    gate.recordFailure(grant, dataset)
    sendQuotaHeaders(reply, gate.quotaStatus(grant), 0)
    throw error
  }
}

/** Runs a plan and charges for it. */
async function answerPlan(
  plan: ReadPlan,
  freshness: FreshnessState,
  parts: ReadParts,
  request: ReadRequest,
  reply: FastifyReply,
  time: Stopwatch,
): Promise<Body> {
  const { dataset, grant } = plan
  const work = async () => {
    const reading = fetchPage(plan, parts.pool)
    // Whatever fails first is answered; a read that fails beside it is nobody's any more.
    reading.catch(() => {})
    // What needs no rows is said while the engine reads them, so that nobody waits for it.
    describe(reply, plan, etagOf(plan, freshness, parts.calendar))
    const next = nextLink(pathOf(dataset), plan, request.query)
    const page = await reading
    time.lap('fetch')
    const answer = answerOf(plan, page, { requestId: request.id, endpoint: pathOf(dataset), freshness, isClosed: parts.calendar.isClosed })
    const body = await encodeJson(answer, page)
    time.lap('encode')
    return { body, rows: page.rows, next: page.more ? next : null, free: answer.empty === 'not_built' }
  }
  const { body, next, rows, charged } = await answerCharged(parts, grant, dataset, request, reply, work)
  time.lap('settle')
  finish(parts, request, reply, { plan, rows, next, charged, time })
  return bodyOf(reply, body)
}

/** The release to read: the pinned one, the served one, or none for a dataset that is declared before it has a source. */
async function chooseRelease(dataset: Dataset, releases: Releases, pinned: ReadParams[string]): Promise<Release | null> {
  if (typeof pinned === 'string') return releases.pinned(dataset, pinned)
  return dataset.planned ? releases.served(dataset) : releases.current(dataset)
}

/** Headers known before the read runs; a 304 carries them too. */
function describe(reply: FastifyReply, { dataset, release, grant, limited }: ReadPlan, etag: string): void {
  reply.type('application/json; charset=utf-8').header('etag', etag).header('cache-control', 'private, no-cache')
  reply.header('x-row-limit', limited ? `${grant.rowLimit}; limited` : grant.rowLimit)
  reply.header('x-dataset', dataset.id)
  if (!release) return
  reply.header('x-release', release.id)
  reply.header('last-modified', new Date(release.manifest.published_at).toUTCString())
}

interface Done {
  readonly plan: ReadPlan
  readonly rows: number
  /** The `Link` to the next page, null on the last one. */
  readonly next: string | null
  readonly charged: number
  readonly time: Stopwatch
}

/** Headers known once the read is paid for, and its line in the log, written when the answer has left. */
function finish({ log }: ReadParts, request: ReadRequest, reply: FastifyReply, { plan, rows, next, charged, time }: Done): void {
  const { dataset, release, grant } = plan
  reply.header('x-row-count', rows)
  if (next !== null) reply.header('link', next)
  reply.header('server-timing', serverTiming(time.laps))
  const facts = {
    request_id: request.id,
    dataset: dataset.slug,
    release: release?.id ?? null,
    account: grant.accountId,
    key: grant.keyId,
    rows,
    credits: charged,
    ms: time.laps,
  }
  setImmediate(() => log('read', facts))
}
