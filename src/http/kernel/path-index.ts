import type { FastifyInstance, RouteOptions } from 'fastify'

export interface PathEntry {
  /** Path of the route, with `:name` for parameters. Null if there is none. */
  readonly route: string | null
  /** HTTP methods in alphabetical order. Empty if there is no route. */
  readonly methods: readonly string[]
}

export type PathIndex = (path: string) => PathEntry

/**
 * Creates an index of routes that are declared after this call. @param keep returns true for each
 * route to include
 */
export function indexPaths(app: FastifyInstance, keep: (route: RouteOptions) => boolean): PathIndex {
  const routes: { readonly url: string; readonly steps: readonly string[]; readonly methods: readonly string[] }[] = []
  app.addHook('onRoute', route => {
    if (keep(route)) routes.push({ url: route.url, steps: route.url.split('/'), methods: [route.method].flat() })
  })
  return path => {
    // The router ignores a slash at the end of a path.
    const steps = path.replace(/(?<=.)\/$/, '').split('/')
    const there = routes.filter(
      route => route.steps.length === steps.length && route.steps.every((step, at) => step.startsWith(':') || step === steps[at]),
    )
    return { route: there[0]?.url ?? null, methods: [...new Set(there.flatMap(({ methods }) => methods))].sort() }
  }
}
