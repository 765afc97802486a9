import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const explained = new Set([...readFileSync('test/README.md', 'utf8').matchAll(/^\| ([A-Z]\d+) \|/gm)].map(match => match[1]!))
const named = new Set(
  readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.test.ts'))
    .flatMap(file => [...readFileSync(join('test', file), 'utf8').matchAll(/(?:it|describe)[^\n]*?\(\s*['"`]([DKMOPQRS]\d+)\b/g)])
    .map(match => match[1]!),
)

it('explains every id of a hostile case that a test is named after', () =>
  expect([...named].filter(id => !explained.has(id)).sort()).toEqual([]))

it('explains no id without a test', () => expect([...explained].filter(id => !named.has(id)).sort()).toEqual([]))
