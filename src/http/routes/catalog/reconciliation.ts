import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Catalog } from '../../../../catalog/index.ts'
import type { Gate } from '../../../access/index.ts'
import { datasetNamed, reconciliationView } from '../../../discovery/index.ts'
import { type Releases, releaseOf, statesOf } from '../../../releases/index.ts'
import { type Endpoint, publicGet } from '../../kernel/index.ts'
import { Reconciliation, Reconciliations } from './reconciliation-answer.ts'

export interface ReconciliationParts {
  readonly catalog: Catalog
  readonly gate: Gate
  readonly releases: Releases
}

const ALL = {
  summary: 'How every dataset compares with its sources',
  summaryZh: '所有資料集的核對結果',
  description:
    'One badge a dataset, measured when its release was published: rows against source files, printed totals and other publications.',
  group: 'catalog',
  caller: 'public',
  answer: Reconciliations,
  example: {},
} as const satisfies Endpoint

const ONE = {
  summary: 'How one dataset compares with its sources',
  summaryZh: '單一資料集的核對結果',
  description: 'The badge is that of the worst comparison; `methods` lists each with its own counts.',
  group: 'catalog',
  caller: 'public',
  path: z.object({ dataset: z.string().meta({ description: 'Slug or id of a dataset.' }) }),
  answer: Reconciliation,
  refusals: ['unknown_dataset'],
  example: { path: { dataset: 'institutional-positioning' } },
} as const satisfies Endpoint

/** What publications measured, read from the manifests of what is served. */
export function reconciliationRoutes(app: FastifyInstance, { catalog, gate, releases }: ReconciliationParts): void {
  publicGet(app, gate, '/v2/data-catalog/reconciliation', ALL, () => {
    const data = statesOf(catalog, releases).map(state => reconciliationView(state, catalog, releases))
    return { data_count: data.length, data }
  })
  publicGet(app, gate, '/v2/data-catalog/reconciliation/:dataset', ONE, (_, request) => {
    const dataset = datasetNamed(catalog, (request.params as { readonly dataset: string }).dataset)
    return reconciliationView({ dataset, release: releaseOf(dataset, releases) }, catalog, releases)
  })
}
