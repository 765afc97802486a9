import type { FastifyInstance } from 'fastify'

/** Every route the router knows, as `GET /v2/coverage/:dataset`, from its own drawing of itself. */
export function routedBy(app: FastifyInstance): readonly string[] {
  const routes: string[] = []
  const path: string[] = []
  for (const line of app.printRoutes({ commonPrefix: false }).trimEnd().split('\n')) {
    const [, indent, name, methods] = /^(.*?)[├└]── (\S*) \((.*)\)$/.exec(line)!
    path.splice(indent!.length / 4)
    path.push(name!)
    for (const method of methods!.split(', ')) routes.push(`${method} ${path.join('')}`)
  }
  return routes
}
