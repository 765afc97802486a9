import type { FastifyInstance, RouteOptions } from 'fastify'

/** What answers at a path. */
export interface PathEntry {
  /** In the router's form; null where nothing answers. */
  readonly route: string | null
  /** In alphabetical order; none where nothing answers. */
  readonly methods: readonly string[]
}

export type PathIndex = (path: string) => PathEntry

/** Registers every route declared after this call that matches `keep`. */
export function indexPaths(app: FastifyInstance, keep: (route: RouteOptions) => boolean): PathIndex {
  const routes: { readonly url: string; readonly steps: readonly string[]; readonly methods: readonly string[] }[] = []
  app.addHook('onRoute', route => {
    if (keep(route)) routes.push({ url: route.url, steps: route.url.split('/'), methods: [route.method].flat() })
  })
  return path => {
    // The router ignores a slash at the end.
    const steps = path.replace(/(?<=.)\/$/, '').split('/')
    const there = routes.filter(
      route => route.steps.length === steps.length && route.steps.every((step, at) => step.startsWith(':') || step === steps[at]),
    )
    return { route: there[0]?.url ?? null, methods: [...new Set(there.flatMap(({ methods }) => methods))].sort() }
  }
}
