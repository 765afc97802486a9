import type { Book, Customer } from './book.ts'
import { happen } from './events.ts'
import { newId } from './ids.ts'
import { customerObject, portalObject } from './objects.ts'
import { page } from './pages.ts'
import { check, email, metadata, PAGING, text, url } from './params.ts'
import { noSuch } from './refusals.ts'
import type { Route } from './routes.ts'

/** @throws Refused where there is none of that id */
export function customerOf(book: Book, id: string, param?: string): Customer {
  const customer = book.customers.get(id)
  if (!customer) throw noSuch('customer', id, param)
  return customer
}

/** Makes a customer, which is an event. */
export function addCustomer(book: Book, address: string | null, marks: Readonly<Record<string, string>> = {}): Customer {
  const customer = { id: newId('cus'), email: address, created: book.now(), metadata: marks }
  book.customers.set(customer.id, customer)
  happen(book, 'customer.created', customerObject(book, customer))
  return customer
}

export const customerRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/customers',
    run: ({ book, form }) => {
      check(form, { email, name: text(256), description: text(), metadata })
      return customerObject(
        book,
        addCustomer(book, (form['email'] as string | undefined) ?? null, form['metadata'] as Record<string, string> | undefined),
      )
    },
  },
  {
    method: 'GET',
    path: '/v1/customers',
    run: ({ book, form }) => {
      check(form, { ...PAGING, email })
      const found = [...book.customers.values()].filter(customer => [undefined, customer.email].includes(form['email'] as string)).reverse()
      return page(found, form, '/v1/customers', 'customer', customer => customerObject(book, customer))
    },
  },
  {
    method: 'GET',
    path: '/v1/customers/:id',
    run: ({ book, form, id }) => {
      check(form, {})
      return customerObject(book, customerOf(book, id))
    },
  },
  {
    method: 'POST',
    path: '/v1/billing_portal/sessions',
    run: ({ book, form }) => {
      check(form, { customer: text(), return_url: url, locale: text(10) }, ['customer'])
      const { id } = customerOf(book, form['customer'] as string, 'customer')
      const portal = portalObject(book, newId('bps'), id, (form['return_url'] as string | undefined) ?? null)
      book.portals.set(portal.url, id)
      return portal
    },
  },
]
