import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { diffReleases } from '../../../ingest/history/index.ts'
import { ingestFiles } from '../../../ingest/index.ts'
import { feeds } from '../../fixtures/ingest/bodies.ts'
import { releaseIds, stored } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'
import { real, realFilesThere } from './files.ts'

const SLUG = 'broker-branch-reference'

describe.skipIf(!realFilesThere)('a later list of branches', () => {
  let s: TestService
  beforeAll(async () => {
    s = await service({ examples: false })
  })
  afterAll(() => s.close())

  const take = async (file: string, day: string) => {
    const options = { requestedDay: day, accept: [], progress: () => {} }
    const { publications } = await ingestFiles(s.workspace, feeds.get('broker-branches')!, [file], options)
    return publications.find(({ dataset }) => dataset === SLUG)!.outcome
  }

  it('in a later real list of branches, a row counts as changed if its values differ, not if only its source is newer', async () => {
    const list = real('broker', 'broker_list_about2024.csv')
    await take(list, '2021-01-29')
    // Makes an earlier version of the list, in which 29 addresses differ.
    const lines = readFileSync(list, 'utf8').split('\n')
    let moved = 0
    const later = lines.map(row => {
      const cells = row.split(',')
      if (moved === 29 || cells.length !== 5 || !/.-./.test(cells[1]!)) return row
      moved++
      return [...cells.slice(0, 3), `${cells[3]}之1`, ...cells.slice(4)].join(',')
    })
    const file = join(s.dir, 'later.csv')
    writeFileSync(file, later.join('\n'))
    const outcome = await take(file, '2024-12-31')
    expect(outcome).toMatchObject({
      status: 'published',
      rowsConfirmed: 747,
      changes: { rows_added: 0, rows_changed: 29, rows_removed: 0 },
    })
    const [from, newest] = releaseIds(s.workspace.releases, SLUG).slice(-2)
    const { summary } = await diffReleases(s.workspace, s.dataset(SLUG), from!, newest!)
    expect(summary.rows).toMatchObject({ added: 0, changed: 29, removed: 0, unchanged: 747, confirmed: 747 })
    expect(stored(s.workspace.releases, SLUG).manifest.data_as_of).toBe('2024-12-31')
    expect(await take(file, '2025-03-30')).toMatchObject({ rowsConfirmed: 776, changes: { rows_changed: 0, date_from: null } })
  })
})
