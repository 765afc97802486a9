import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openTestWorkspace, publishRows } from '../../../support.ts'
import { auditing } from '../audited.ts'
import { type Bounds, type HostileCase, type Outcome, scaled } from '../case.ts'
import { marked, readMarked, SLUG } from '../marked.ts'
import { ledgerOf, prepare, start } from '../service.ts'

const [PUBLICATIONS, ANSWERS] = [200, 70_000]

async function run(bounds: Bounds): Promise<Outcome> {
  const nothing = join(bounds.folder, 'nothing')
  mkdirSync(nothing)
  const folder = prepare({ ...bounds, examples: nothing }, Array(64).fill('max'))
  const workspace = await openTestWorkspace(folder.dir)
  const dataset = workspace.catalog.get(SLUG)!
  /** Mark of each published release, by release id. */
  const published = new Map<string, number>()
  const publish = async (mark: number): Promise<void> => {
    const { release } = await publishRows(workspace, folder.dir, dataset, marked(mark))
    published.set(release!, mark)
  }
  await publish(1)
  const service = await start(folder)
  const audit = auditing(folder)
  const reader = readMarked(audit, service.url, folder.callers)
  const [publications, answers] = [scaled(bounds, PUBLICATIONS), scaled(bounds, ANSWERS)]
  try {
    for (let mark = 2; mark <= publications + 1; mark++) {
      await publish(mark)
      if (mark % 20 === 0) bounds.say(`${mark - 1} publications, ${reader.counts.answers} answers`)
      // Waits, so that the answers are spread over the publications.
      while (reader.counts.answers < (answers * (mark - 1)) / publications) await sleep(10)
    }
  } finally {
    workspace.close()
  }
  const failures = [...(await reader.stop())]
  const torn = failures.length
  for (const [release, mark] of reader.marks)
    if (published.get(release) !== mark) failures.push(`${release} was published with ${published.get(release)} and answered with ${mark}`)
  if ((await service.stop()) !== 0) failures.push('the service did not end in order')
  failures.push(...audit.findings(service.output(), ledgerOf(folder.stateDb)).failures)
  const { answers: received, again, refused } = reader.counts
  return {
    tries: publications,
    failures,
    figures: {
      answers: received,
      'releases read': reader.marks.size,
      'compared by release': again,
      'rate limited': refused,
      torn,
    },
  }
}

export const cases: readonly HostileCase[] = [
  {
    id: 'D6',
    tries: 'publications that change every row, under point reads, day reads and long answers',
    holds: 'every answer comes from one release, with the same bytes each time',
    minutes: 20,
    run,
  },
]
