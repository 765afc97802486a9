import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { publishFiles } from '../../../ingest/index.ts'
import { releaseIds, stored } from '../../fixtures/publish/store.ts'
import { type Publisher, publisher } from './publisher.ts'

const SLUG = 'trading-calendar'
let s: Publisher
beforeEach(async () => {
  s = await publisher()
})
afterEach(() => s.close())

function file(name: string, content: string): string {
  const path = join(s.dir, name)
  writeFileSync(path, content)
  return path
}

const publish = (...paths: readonly string[]) =>
  publishFiles(s.workspace, s.dataset(SLUG), paths, { accept: [], synthetic: false, oneByOne: true })

it('files that are published one by one form one release, and each faulty file is refused for its own faults', async () => {
  const { status, release, refused, quarantined, changes } = await publish(
    file('a.csv', 'market,date,is_open\nTWSE,2026-06-19,false\n'),
    file('more.csv', 'market,date,is_open,extra\nTWSE,2026-06-22,false,1\n'),
    file('b.ndjson', '{"market":"TPEX","date":"2026-06-19","is_open":false}\n'),
    file('less.csv', 'market,date\nTWSE,2026-06-23\n'),
    file('cut.json', '[{"market":"TWSE","date":"2026-06-19"'),
    file('type.csv', 'market,date,is_open\nTWSE,2026-06-24,perhaps\n'),
    file('empty.csv', 'market,date,is_open\n'),
    file('c.csv', 'market,date,is_open\nTPEX,2026-06-22,false\n'),
    file('d.xlsx', 'PK'),
  )
  expect([status, changes!.rows_added]).toEqual(['published', 3])
  const rules = [...refused].map(([path, faults]) => [basename(path), faults.map(({ rule, column }) => [rule, column])])
  expect(Object.fromEntries(rules)).toEqual({
    'more.csv': [['unknown_column', 'extra']],
    'less.csv': [['missing_column', 'is_open']],
    'cut.json': [['unreadable', null]],
    'd.xlsx': [['unknown_format', null]],
    'empty.csv': [['no_rows', null]],
    'type.csv': [
      ['type', 'is_open'],
      ['null', 'is_open'],
    ],
  })
  expect(quarantined).toHaveLength(6)
  expect(releaseIds(s.workspace.releases, SLUG)).toEqual([release])
  const { sources } = stored(s.workspace.releases, SLUG).manifest
  expect(sources.map(({ name, rows }) => [name, rows])).toEqual([
    ['a.csv', 1],
    ['b.ndjson', 1],
    ['c.csv', 1],
  ])
  const [folder] = quarantined
  expect(JSON.parse(readFileSync(join(folder!, 'report.json'), 'utf8'))).toMatchObject({ for: SLUG, faults: [{ column: 'extra' }] })
})

it('if all files of a publication one by one are refused, it creates no release', async () => {
  expect(await publish(file('cut.json', '['), file('d.xlsx', 'PK'))).toMatchObject({ status: 'refused', release: null })
  expect(await publish(file('type.csv', 'market,date,is_open\nTWSE,2026-06-24,perhaps\n'))).toMatchObject({ status: 'refused' })
})
