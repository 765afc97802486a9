/**
 * Reads institutional trades as Arrow tables.
 * usage: npx node examples/typescript/frames.ts 2330
 */
import { readFileSync } from 'node:fs'
import { type Table, tableFromIPC } from 'apache-arrow'

const { TWMD_URL = 'http://127.0.0.1:8080', TWMD_API_KEY = JSON.parse(readFileSync('data/demo.json', 'utf8')).keys.pro as string } =
  process.env
const DATASET = '/v2/datasets/institutional-positioning'
const COLUMNS = 'trade_date,foreign_net_buy,institutional_net_buy_total'

/** Returns the table and the path of the next page. An error response ends the program. */
async function get(path: string): Promise<{ readonly table: Table; readonly next: string | undefined }> {
  const response = await fetch(new URL(path, TWMD_URL), { headers: { 'x-api-key': TWMD_API_KEY } })
  if (!response.ok) {
    console.error(((await response.json()) as { error: { error_message: string } }).error.error_message)
    process.exit(1)
  }
  const [, next] = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '') ?? []
  return { table: await tableFromIPC(response), next }
}

async function* pages(path: string): AsyncGenerator<Table> {
  for (let next: string | undefined = path; next; ) {
    const page = await get(next)
    yield page.table
    next = page.next
  }
}

/** Converts a row for printing. Integers are bigints. */
const plain = (row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, name === 'trade_date' ? dayOf(value) : value]))

/** Arrow returns days in milliseconds. */
const dayOf = (value: unknown): string => new Date(Number(value)).toISOString().slice(0, 10)

const [symbol = '2330'] = process.argv.slice(2)
const { table: newest } = await get(`${DATASET}?${new URLSearchParams({ symbol, limit: '50', columns: COLUMNS, format: 'arrow' })}`)
console.log(`${symbol}: newest ${newest.numRows} days`)

if (newest.numRows > 0) {
  console.table(
    newest
      .slice(0, 5)
      .toArray()
      .map(row => plain(row.toJSON())),
  )

  const date = dayOf(newest.getChild('trade_date')!.get(0))
  const { table: day } = await get(
    `${DATASET}/cross-section?${new URLSearchParams({ date, columns: `ticker,${COLUMNS}`, format: 'arrow' })}`,
  )
  const bought = day.toArray().map(row => plain(row.toJSON()))
  bought.sort((a, b) => Number(b['institutional_net_buy_total']) - Number(a['institutional_net_buy_total']))
  console.log(`\n${date}: ${day.numRows} tickers, most bought first`)
  console.table(bought.slice(0, 5))

  const years = new Map<string, bigint>()
  let days = 0
  // Every page is charged, so a larger limit costs less.
  for await (const page of pages(`${DATASET}?${new URLSearchParams({ symbol, limit: '500', columns: COLUMNS, format: 'arrow' })}`)) {
    const [dates, totals] = [page.getChild('trade_date')!, page.getChild('institutional_net_buy_total')!]
    for (let row = 0; row < page.numRows; row++) {
      const year = dayOf(dates.get(row)).slice(0, 4)
      years.set(year, (years.get(year) ?? 0n) + (totals.get(row) as bigint))
    }
    days += page.numRows
  }
  console.log(`\n${symbol}: ${days} days, by year`)
  console.table([...years].sort().map(([year, total]) => ({ year, total })))
}
