import type { FastifyInstance, RouteOptions } from 'fastify'

export interface PathEntry {
  /** With `:name` for parameters. Null for unknown paths. */
  readonly route: string | null
  /** In alphabetical order. Empty for unknown paths. */
  readonly methods: readonly string[]
}

export type PathIndex = (path: string) => PathEntry

/**
 * Includes only routes that are declared later.
 * @param keep function that returns true for each route to include
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
