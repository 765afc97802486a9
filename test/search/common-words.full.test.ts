import { afterAll, beforeAll, expect, it } from 'vitest'
import { service, type TestService } from '../support.ts'

let s: TestService
let key: string

const search = async (q: string, more: string) => {
  const response = await s.get(`/v2/search?q=${encodeURIComponent(q)}${more}`, key)
  expect(response.statusCode).toBe(200)
  return response.json() as { total: number; data: { title: string }[] }
}
const quote = (ticker: string, day: string, name: string) => ({ ...s.dataset('daily-prices').example[0], ticker, trade_date: day, name })

const [BASE, ISSUERS] = [2_400, ['元大', '凱基', '群益']]
const warrant = (index: number): string =>
  `${String.fromCodePoint(0x4e00 + (index % 800))}訊${ISSUERS[index % 3]}${53 + (index % 4)}購${10 + (index % 7)}`
const namesWith = (holds: (name: string) => boolean) => Array.from({ length: BASE }, (_, index) => warrant(index)).filter(holds)
beforeAll(async () => {
  s = await service({ inMemory: false, examples: false })
  key = s.keyOn('max')
  const rows = Array.from({ length: BASE }, (_, index) => quote(String(300_000 + index), '2026-06-30', warrant(index)))
  await s.publish('daily-prices', rows, { accept: ['row_count_drift', 'row_count'] })
})
afterAll(() => s.close())

it.each<[string, (name: string) => boolean]>([
  ['元大 購', name => name.includes('元大')],
  ['訊 購 54', name => name.includes('54購')],
  ['訊元大 53購', name => name.includes('元大53')],
  ['購 53 54 55 56 57', () => true],
  ['元大購 群益購', name => !name.includes('凱基')],
])('a search for "%s" counts every matching name', async (q, holds) =>
  expect((await search(q, '&type=symbol')).total).toBe(namesWith(holds).length),
)

it('a search ranks the name with a rarer word first', async () => {
  const rare = warrant(7)
  expect((await search(`${rare[0]} 元大 凱基 群益 53 54 購 龘`, '&type=symbol')).data[0]!.title[0]).toBe(rare[0])
})
