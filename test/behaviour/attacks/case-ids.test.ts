import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadCases } from './campaign.ts'

/** Finds an id at the beginning of a test title. Also searches shared files that register tests. */
const IN_TITLE = /(?:it|describe)[^\n]*?\(\s*['"`]([DKMOPQRSW]\d+)\b/g

it('test/README.md explains exactly the ids that test titles and the attack campaign use', async () => {
  const explained = [...readFileSync('test/README.md', 'utf8').matchAll(/^\| ([A-Z]\d+) \|/gm)].map(match => match[1]!)
  const titles = readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts'))
    .flatMap(file => [...readFileSync(join('test', file), 'utf8').matchAll(IN_TITLE)].map(match => match[1]!))
  const used = new Set([...titles, ...(await loadCases()).map(({ id }) => id)])
  expect(explained.toSorted()).toEqual([...used].sort())
})
