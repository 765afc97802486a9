import type { Book } from './book.ts'
import { checkoutRoutes } from './checkout.ts'
import { customerRoutes } from './customers.ts'
import { eventRoutes } from './events.ts'
import type { Form } from './form.ts'
import { priceRoutes } from './prices.ts'
import { unknownUrl } from './refusals.ts'
import { subscriptionRoutes } from './subscriptions.ts'

/** A request whose key was accepted and whose parameters were read. */
export interface Call {
  readonly book: Book
  readonly form: Form
  /** What stands in the path where the route says `:id`. */
  readonly id: string
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  /** @throws Refused */
  readonly run: (call: Call) => object
}

const ROUTES: readonly Route[] = [...customerRoutes, ...priceRoutes, ...checkoutRoutes, ...subscriptionRoutes, ...eventRoutes]

/** The route of a path and the id in it. @throws Refused for any other path */
export function routeOf(method: string, path: string): { readonly run: Route['run']; readonly id: string } {
  for (const route of ROUTES) {
    const [before, after] = route.path.split(':id')
    if (route.method !== method) continue
    if (after === undefined ? path === before : path.startsWith(before!) && path.endsWith(after)) {
      const id = path.slice(before!.length, path.length - (after?.length ?? 0))
      if (after === undefined || (id !== '' && !id.includes('/'))) return { run: route.run, id: decodeURIComponent(id) }
    }
  }
  throw unknownUrl(method, path)
}
