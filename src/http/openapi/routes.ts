import type { FastifyInstance } from 'fastify'
import type { Endpoint } from '../kernel/index.ts'

export interface DescribedRoute {
  readonly method: string
  /** In the form of OpenAPI, for example `/v2/coverage/{dataset}`. */
  readonly path: string
  readonly endpoint: Endpoint
}

/**
 * Collects all routes that are declared after this call.
 * @throws Error if a route declares neither an endpoint nor a reason for being unlisted
 */
export function collectRoutes(app: FastifyInstance): readonly DescribedRoute[] {
  const routes: DescribedRoute[] = []
  app.addHook('onRoute', ({ method, url, config }) => {
    const { endpoint, unlisted } = config ?? {}
    if (!endpoint && !unlisted) throw new Error(`${method} ${url} declares no endpoint`)
    // The general description states that every GET supports HEAD.
    const methods = [method].flat().filter(one => one !== 'HEAD')
    if (endpoint) for (const one of methods) routes.push({ method: one, path: url.replace(/:(\w+)/g, '{$1}'), endpoint })
  })
  return routes
}

/** Returns a name such as `get-v2-coverage-dataset`. Also used for pages of the reference. */
export const operationId = ({ method, path }: Pick<DescribedRoute, 'method' | 'path'>): string =>
  `${method.toLowerCase()}${path.replaceAll(/[{}]/g, '').replaceAll(/[/.]/g, '-')}`.replace(/-$/, '-root')
