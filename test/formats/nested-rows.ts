import type { Column, Row } from '../../catalog/index.ts'

const OBJECT: Column = {
  type: 'json',
  shape: { members: { flag: 'boolean', name: 'text', size: 'number', tags: { list: 'text' }, source: { members: { day: 'text' } } } },
  doc: '',
  docZh: '',
  zh: '',
}
/** An object column and a list column. */
export const NESTED = { object: OBJECT, list: { ...OBJECT, shape: { list: 'text' } } } as const satisfies Readonly<Record<string, Column>>
/** An object that has all members of its shape. */
export const WHOLE = { flag: true, name: '台積電 "x"', size: -1.5, tags: ['a', null, ''], source: { day: '2026-06-30' } }

/** Values that their shapes can hold completely. */
export const FITTING: readonly Row[] = [
  { object: WHOLE, list: ['a', '', '公債'] },
  { object: WHOLE, list: [] },
  { object: {}, list: [null] },
  { object: null, list: null },
  { object: { name: '' }, list: ['x'.repeat(300)] },
  { object: { tags: [] }, list: ['b'] },
  { object: { source: {} }, list: ['b', 'a'] },
]

/** Values with members, types or texts that their shapes cannot hold. */
export const UNFITTING: readonly Row[] = [
  { object: { ...WHOLE, more: 1 }, list: [1, 'a'] },
  { object: { ...WHOLE, name: 5, tags: ['a', 1], source: { day: '1', hour: 2 } }, list: 'a' },
  { object: ['a'], list: { a: 1 } },
  { object: 'a', list: [['a']] },
  { object: { name: '\ud800' }, list: ['\udfff'] },
  { object: { _json: 'a' }, list: [{}] },
  { object: { toString: 'a', constructor: 1 }, list: [false] },
]
