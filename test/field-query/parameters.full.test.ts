import { afterAll, beforeAll, it } from 'vitest'
import { service, type TestService } from '../support.ts'
import { checkRandomQueries, checkValidQueries } from './random-queries.ts'

let s: TestService
let key = ''
beforeAll(async () => {
  s = await service({ indexed: false })
  key = s.keyOn('max')
})
afterAll(() => s.close())

it('300 random field queries never cause a server error', () => checkRandomQueries(s, key, 300))

it('100 random valid field queries return a value or a reason for every entity and field', () => checkValidQueries(s, key, 100))
