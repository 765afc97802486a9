import type { Book, Price } from './book.ts'
import { newId } from './ids.ts'
import { priceObject } from './objects.ts'
import { page } from './pages.ts'
import { check, flag, object, oneOf, PAGING, text, whole } from './params.ts'
import { noSuch } from './refusals.ts'
import type { Route } from './routes.ts'

/** @throws Refused where there is none of that id */
export function priceOf(book: Book, id: string, param?: string): Price {
  const price = book.prices.get(id)
  if (!price) throw noSuch('price', id, param)
  return price
}

/** Makes a price. @param id its id, where one must be known beforehand */
export function addPrice(
  book: Book,
  { id = newId('price'), amount, interval = 'month', currency = 'twd', product = newId('prod') }: NewPrice,
) {
  const price = { id, amount, interval, currency, product, created: book.now() }
  book.prices.set(id, price)
  return price
}

export type NewPrice = Partial<Price> & Pick<Price, 'amount'>

const recurring = object({ interval: oneOf('day', 'week', 'month', 'year'), interval_count: whole(1, 12) }, ['interval'])

export const priceRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/prices',
    run: ({ book, form }) => {
      const fields = { currency: oneOf('twd', 'usd'), unit_amount: whole(0, 99_999_999), product: text(), recurring, nickname: text() }
      check(form, fields, ['currency', 'unit_amount', 'product', 'recurring'])
      const { currency, unit_amount: amount, product, recurring: how } = form as Readonly<Record<string, string>>
      const { interval } = how as unknown as { interval: Price['interval'] }
      return priceObject(book, addPrice(book, { amount: Number(amount), currency: currency!, product: product!, interval }))
    },
  },
  {
    method: 'GET',
    path: '/v1/prices',
    run: ({ book, form }) => {
      check(form, { ...PAGING, active: flag, product: text() })
      return page([...book.prices.values()].reverse(), form, '/v1/prices', 'price', price => priceObject(book, price))
    },
  },
  {
    method: 'GET',
    path: '/v1/prices/:id',
    run: ({ book, form, id }) => {
      check(form, {})
      return priceObject(book, priceOf(book, id))
    },
  },
]
