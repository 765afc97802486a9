import type { FastifyInstance, RouteOptions } from 'fastify'

/** The methods a path takes, in alphabetical order; none where nothing answers there. */
export type PathIndex = (path: string) => readonly string[]

/** Notes every route declared from here on that is kept by `keep`. */
export function indexPaths(app: FastifyInstance, keep: (route: RouteOptions) => boolean): PathIndex {
  const routes: { readonly steps: readonly string[]; readonly methods: readonly string[] }[] = []
  app.addHook('onRoute', route => {
    if (keep(route)) routes.push({ steps: route.url.split('/'), methods: [route.method].flat() })
  })
  return path => {
    const steps = path.split('/')
    const there = routes.filter(
      route => route.steps.length === steps.length && route.steps.every((step, at) => step.startsWith(':') || step === steps[at]),
    )
    return [...new Set(there.flatMap(({ methods }) => methods))].sort()
  }
}
