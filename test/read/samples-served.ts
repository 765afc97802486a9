import { existsSync } from 'node:fs'
import { cp, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject } from 'vitest'
import { type Dataset, isDailySeries, pathOf, type Row } from '../../catalog/index.ts'
import { publishSamples, samplesMissing } from '../../ingest/samples/index.ts'
import { openTestWorkspace, publishRows, service, type TestService } from '../support.ts'

/**
 * Datasets that the quick tier reads. Together, they have every column type, and rows with and
 * without a day.
 */
export const QUICK = ['daily-prices', 'company-risk-events', 'earnings', 'securities-firm-master']

/** Datasets to publish in the quick tier: `QUICK`, and two that its tests name. */
const QUICK_PUBLISHED = [...QUICK, 'valuation', 'index-classification']

/**
 * A service with sample rows, a key for all of them, and the required parameters of reads.
 *
 * @param tier `quick` has samples of some datasets, and reads include the last months; `full` has
 * every dataset and every day
 */
export async function samplesServed(tier: 'quick' | 'full') {
  const s = await service({ examples: false, indexed: false })
  await cp(await published(tier), s.dir, { recursive: true })
  await s.releases.refresh()
  await s.calendar.refresh()
  await s.columns.refresh()
  const key = s.keyOn('max')
  return {
    s,
    key,
    /**
     * Required parameters of a read that has rows. In the quick tier, they include the first day to
     * read.
     */
    async required(dataset: Dataset): Promise<URLSearchParams> {
      const params = await requiredBy(dataset, s, key)
      if (tier === 'quick' && 'start_date' in dataset.filters) params.set('start_date', '2026-04-01')
      return params
    },
    /** Rows of all pages of a read. */
    async allPages(url: string): Promise<readonly Row[]> {
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

/** The rows of a body, whatever its envelope. */
export const rowsOf = (body: { readonly data?: readonly Row[]; readonly envelope?: { readonly data: readonly Row[] } }): readonly Row[] =>
  body.data ?? body.envelope!.data

const POLL_MS = 50

/**
 * A data folder with samples. Read-only: tests copy it. The first worker that needs it publishes
 * the samples. The other workers wait for the finished folder.
 */
async function published(tier: 'quick' | 'full'): Promise<string> {
  const finished = join(inject('runFolder'), `samples-${tier}`)
  const unfinished = `${finished}.unfinished`
  while (!existsSync(finished)) {
    const isFirst = await mkdir(unfinished).then(
      () => true,
      () => false,
    )
    if (!isFirst) await sleep(POLL_MS)
    else
      try {
        await publishAll(unfinished, tier)
        await rename(unfinished, finished)
      } catch (error) {
        await rm(unfinished, { recursive: true, force: true })
        throw error
      }
  }
  return finished
}

async function publishAll(dir: string, tier: 'quick' | 'full'): Promise<void> {
  const workspace = await openTestWorkspace(dir)
  const missing = await samplesMissing(workspace)
  await publishSamples(
    workspace,
    tier === 'full' ? missing : missing.filter(slug => QUICK_PUBLISHED.includes(slug)),
    () => '2026-06-30',
    () => {},
  )
  const calendar = workspace.catalog.get('trading-calendar')!
  await publishRows(workspace, dir, calendar, calendar.example)
  workspace.close()
  await rm(join(dir, 'tmp'), { recursive: true, force: true })
}

async function requiredBy(dataset: Dataset, s: TestService, key: string): Promise<URLSearchParams> {
  const lastDay = s.releases.current(s.dataset(dataset.slug)).manifest.statistics.last_date!
  const keyed = dataset.sectionOf || !isDailySeries(dataset) ? undefined : await keyOn(lastDay, dataset, s, key)
  const required = Object.entries(dataset.filters).flatMap(([name, { required, all, example }]) =>
    required ? [[name, dataset.sectionOf ? lastDay : (all ?? keyed ?? example!)]] : [],
  )
  return new URLSearchParams(required)
}

/** A key with rows on a day. */
async function keyOn(day: string, dataset: Dataset, s: TestService, key: string): Promise<string> {
  const [row] = rowsOf((await s.get(`${pathOf(dataset)}/cross-section?date=${day}&limit=1`, key)).json())
  return String(row![dataset.key!])
}
