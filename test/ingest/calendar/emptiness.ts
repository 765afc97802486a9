import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { body, EMPTY, ingest, t86Body } from '../../fixtures/ingest/bodies.ts'
import type { TestService } from '../../support.ts'

export const TRADES = 'institutional-positioning'
/** A MOPS page for a quarter without statements. */
export const EMPTY_QUARTER = '<html><body><h4><font>查詢無資料!</font></h4></body></html>'

/** Ingests trades and empty bodies, and reads the days that result. */
export const emptinessOn = (s: TestService) => ({
  /** A file with one day of trades. */
  trades: (day: string, seed: number) => body(s, `${day}.json`, t86Body(day, { '2330': [seed, 0, 0], '1101': [-seed, 0, 0] })),
  empty: (requestedDay: string, feed = 'twse-t86', content: string = EMPTY) =>
    ingest(s, feed, [body(s, `empty-${requestedDay}.json`, content)], { requestedDay }),
  async streaks(): Promise<readonly number[]> {
    const { data } = (await s.get(`/v2/datasets/${TRADES}?symbol=2330&sort_order=asc`, s.keyOn('pro'))).json()
    return data.map((row: Record<string, number>) => row['buy_streak'])
  },
  journal: (feed: string): readonly Record<string, unknown>[] =>
    readFileSync(join(s.workspace.captures, `${feed}.ndjson`), 'utf8')
      .trimEnd()
      .split('\n')
      .map(record => {
        const { sum: _, ...capture } = JSON.parse(record) as Record<string, unknown>
        return capture
      }),
})
