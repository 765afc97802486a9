import { expect } from 'vitest'
import { type Dataset, isDailySeries, pathOf, type Row } from '../../catalog/index.ts'
import { publishSamples, samplesMissing } from '../../ingest/samples/index.ts'
import { service, type TestService } from '../support.ts'

/** A service with sample rows of every dataset that has any, a key that may read all of it, and what reads of a dataset must name. */
export async function samplesServed() {
  const s = await service({ examples: false })
  await publishSamples(
    s.workspace,
    await samplesMissing(s.workspace),
    () => '2026-06-30',
    () => {},
  )
  await s.publish('trading-calendar', s.dataset('trading-calendar').example)
  const key = s.keyOn('max')
  return {
    s,
    key,
    /** Required parameters of a read that has rows. */
    required: (dataset: Dataset): Promise<URLSearchParams> => requiredBy(dataset, s, key),
    /** Rows of a read, page by page, as its links lead. */
    async turned(url: string): Promise<readonly Row[]> {
      const rows: Row[] = []
      for (let next: string | undefined = url; next !== undefined; ) {
        const response = await s.get(next, key)
        expect([next, response.statusCode, response.statusCode === 200 ? '' : response.body]).toEqual([next, 200, ''])
        rows.push(...rowsOf(response.json()))
        next = /^<(.+)>; rel="next"$/.exec(String(response.headers['link'] ?? ''))?.[1]
      }
      return rows
    },
  }
}

export type SamplesServed = Awaited<ReturnType<typeof samplesServed>>

/** The rows of a body, in whatever envelope. */
export const rowsOf = (body: { readonly data?: readonly Row[]; readonly envelope?: { readonly data: readonly Row[] } }): readonly Row[] =>
  body.data ?? body.envelope!.data

async function requiredBy(dataset: Dataset, s: TestService, key: string): Promise<URLSearchParams> {
  const lastDay = s.releases.current(s.dataset(dataset.slug)).manifest.statistics.last_date!
  const keyed = dataset.sectionOf || !isDailySeries(dataset) ? undefined : await keyOn(lastDay, dataset, s, key)
  const required = Object.entries(dataset.filters).flatMap(([name, { required, all, example }]) =>
    required ? [[name, dataset.sectionOf ? lastDay : (all ?? keyed ?? example!)]] : [],
  )
  return new URLSearchParams(required)
}

/** A key that has rows on a day. */
async function keyOn(day: string, dataset: Dataset, s: TestService, key: string): Promise<string> {
  const [row] = rowsOf((await s.get(`${pathOf(dataset)}/cross-section?date=${day}&limit=1`, key)).json())
  return String(row![dataset.key!])
}
