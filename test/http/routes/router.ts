import type { FastifyInstance } from 'fastify'

/**
 * Every route of the router, in the form `GET /v2/coverage/:dataset`. Parsed from the tree that the
 * router prints.
 */
export function routedBy(app: FastifyInstance): readonly string[] {
  const routes: string[] = []
  const path: string[] = []
  for (const branch of app.printRoutes({ commonPrefix: false }).trimEnd().split('\n')) {
    const [, indent, name, methods] = /^(.*?)[├└]── (\S*) \((.*)\)$/.exec(branch)!
    path.splice(indent!.length / 4)
    path.push(name!)
    for (const method of methods!.split(', ')) routes.push(`${method} ${path.join('')}`)
  }
  return routes
}

/** Router paths without an API description: pages for browsers and their assets. */
export const PAGES: readonly string[] = [
  '/',
  '/datasets',
  '/datasets/:name',
  '/company/:name',
  '/explore/:name',
  '/account',
  '/operator',
  '/companies',
  '/compare',
  '/screener',
  '/sql',
  '/pricing',
  '/status',
  '/updates.atom',
  ...['yield-curve', 'institutional', 'indices', 'heat-map', 'calendar'].map(page => `/market/${page}`),
  '/docs/:part',
  '/docs/:part/:group',
  '/docs/:part/:group/:page',
]
  .flatMap(path => [path, path === '/' ? '/zh' : `/zh${path}`])
  .concat('/zh/docs')
