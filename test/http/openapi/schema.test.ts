import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { checker, closed, documented } from './schema.ts'

const Credits = z.object({ used: z.int().meta({ description: 'Credits.', example: 1 }) }).meta({ id: 'CreditsOfThisTest' })
const Answer = z.looseObject({
  credits: Credits.nullable(),
  by_name: z.record(z.string(), z.boolean()),
  rows: z.array(z.union([z.looseObject({ a: z.string() }), z.object({ b: z.string() })])),
})
const GOOD = { credits: { used: 1 }, by_name: { anything: true }, rows: [{ a: 'x' }, { b: 'y' }] }

describe('a body checked against its declaration', () => {
  const mistakes = checker(Answer)
  it('passes where it is as declared', () => {
    expect(mistakes(GOOD)).toEqual([])
    expect(mistakes({ ...GOOD, credits: null })).toEqual([])
  })
  it.each([
    ['a key nobody declared', { ...GOOD, more: 1 }, 'more'],
    ['one inside an object that is named', { ...GOOD, credits: { used: 1, left: 2 } }, 'left'],
    ['one inside a row', { ...GOOD, rows: [{ a: 'x', c: 'z' }] }, 'c'],
    ['a key that is missing', { ...GOOD, credits: {} }, 'used'],
    ['a null that cannot be', { ...GOOD, rows: null }, '/rows'],
    ['a number as text', { ...GOOD, credits: { used: '1' } }, '/credits'],
    ['a value of the wrong type under a name', { ...GOOD, by_name: { anything: 'yes' } }, '/by_name/anything'],
  ])('fails for %s', (_, body, named) => {
    expect(mistakes(body).join('\n')).toContain(named)
  })
  it('reads JSON Schema as it reads a declaration', () => {
    expect(checker(documented(Answer))({ ...GOOD, more: 1 })).toHaveLength(1)
  })
})

it('closing a schema closes no map, and takes no property for a keyword of JSON Schema', () => {
  const schema = { type: 'object', properties: { properties: { type: 'object' }, items: { type: 'string' } } }
  expect(closed(schema)).toEqual({ ...schema, additionalProperties: false })
})
