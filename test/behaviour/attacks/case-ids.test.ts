import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const explained = new Set([...readFileSync('test/README.md', 'utf8').matchAll(/^\| ([A-Z]\d+) \|/gm)].map(match => match[1]!))
const IN_TEST = /(?:it|describe)[^\n]*?\(\s*['"`]([DKMOPQRSW]\d+)\b/g
const IN_CAMPAIGN = /^ {4}id: '(\w+)',$/gm
const named = new Set(
  readdirSync('test', { recursive: true, encoding: 'utf8' })
    .flatMap(file => {
      const id = file.startsWith('behaviour/attacks/cases/') ? IN_CAMPAIGN : file.endsWith('.test.ts') ? IN_TEST : undefined
      return id ? [...readFileSync(join('test', file), 'utf8').matchAll(id)] : []
    })
    .map(match => match[1]!),
)

it('explains every id of a hostile case that a test or a case of the campaign is named after', () =>
  expect([...named].filter(id => !explained.has(id)).sort()).toEqual([]))

it('explains no id without a test', () => expect([...explained].filter(id => !named.has(id)).sort()).toEqual([]))
