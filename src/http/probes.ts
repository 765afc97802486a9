import type { FastifyInstance } from 'fastify'
import { type Catalog, served } from '../../catalog/load.ts'
import { Refusal } from '../core/errors.ts'
import type { Releases } from '../query/releases.ts'

export interface ProbeParts {
  readonly catalog: Catalog
  readonly releases: Releases
  /** Throws when the state file does not answer. */
  readonly checkState: () => void
  /** True once the process was asked to stop. */
  readonly draining: () => boolean
}

/** `/healthz` says that the process runs, whatever else is wrong; `/readyz` that it can answer reads, naming what cannot. */
export function probeRoutes(app: FastifyInstance, parts: ProbeParts): void {
  app.get('/healthz', () => ({ status: 'ok' }))
  app.get('/readyz', (_, reply) => {
    const checks = { state: stateCheck(parts), releases: releaseCheck(parts), draining: parts.draining() ? 'stopping' : 'ok' }
    const ready = Object.values(checks).every(check => check === 'ok')
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not_ready', checks })
  })
}

function stateCheck({ checkState }: ProbeParts): string {
  try {
    checkState()
    return 'ok'
  } catch {
    return 'the state file does not answer'
  }
}

/** Ready with any dataset to serve; a damaged one is refused by itself and does not take the others down. */
function releaseCheck({ catalog, releases }: ProbeParts): string {
  const states = served(catalog).map(dataset => {
    try {
      return releases.served(dataset) ? 'serving' : 'building'
    } catch (error) {
      if (error instanceof Refusal) return 'damaged'
      throw error
    }
  })
  return states.includes('serving') ? 'ok' : 'no dataset has a release that passes its check'
}
