import { expect, it } from 'vitest'
import { z } from 'zod'
import { checker, closed, documented } from './schema.ts'

const Credits = z.object({ used: z.int().meta({ description: 'Credits.', example: 1 }) }).meta({ id: 'CreditsOfThisTest' })
const Answer = z.looseObject({
  credits: Credits.nullable(),
  by_name: z.record(z.string(), z.boolean()),
  rows: z.array(z.union([z.looseObject({ a: z.string() }), z.object({ b: z.string() })])),
})
const GOOD = { credits: { used: 1 }, by_name: { anything: true }, rows: [{ a: 'x' }, { b: 'y' }] }

const mistakes = checker(Answer)
it('the schema checker accepts a body that matches the schema', () => {
  expect(mistakes(GOOD)).toEqual([])
  expect(mistakes({ ...GOOD, credits: null })).toEqual([])
})
it.each([
  ['an undeclared key', { ...GOOD, more: 1 }, 'more'],
  ['an undeclared key in a nested object', { ...GOOD, credits: { used: 1, left: 2 } }, 'left'],
  ['an undeclared key in a row', { ...GOOD, rows: [{ a: 'x', c: 'z' }] }, 'c'],
  ['a missing key', { ...GOOD, credits: {} }, 'used'],
  ['a null in a required array', { ...GOOD, rows: null }, '/rows'],
  ['a number sent as text', { ...GOOD, credits: { used: '1' } }, '/credits'],
  ['a value of the wrong type in a map', { ...GOOD, by_name: { anything: 'yes' } }, '/by_name/anything'],
])('the schema checker reports %s', (_, body, named) => {
  expect(mistakes(body).join('\n')).toContain(named)
})
it('the schema checker accepts JSON Schema as well as zod schemas', () => {
  expect(checker(documented(Answer))({ ...GOOD, more: 1 })).toHaveLength(1)
})

it('closed() does not restrict maps and does not treat property names as JSON Schema keywords', () => {
  const schema = { type: 'object', properties: { properties: { type: 'object' }, items: { type: 'string' } } }
  expect(closed(schema)).toEqual({ ...schema, additionalProperties: false })
})
