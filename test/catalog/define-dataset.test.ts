import { expect, it } from 'vitest'
import { defineDataset } from '../../catalog/index.ts'

const columns = {
  code: { type: 'text', zh: '代號', doc: 'Code.', docZh: '代號。' },
  day: { type: 'date', zh: '日期', doc: 'Day.', docZh: '日期。' },
  value: { type: 'number', zh: '數值', doc: 'Value.', docZh: '數值。' },
} as const

const sound = {
  slug: 'closes',
  id: 'closes',
  title: 'Closes',
  titleZh: '收盤',
  family: 'market_structure',
  description: 'Closes by code and day.',
  descriptionZh: '測試用。',
  status: 'verified',
  version: '1.0.0',
  columns,
  grain: ['code', 'day'],
  publish: { mode: 'merge' },
  filters: {},
  order: [['day', 'desc']],
  sortable: ['day'],
  envelope: { kind: 'A-bare' },
  lineage: {
    families: [],
    semantics: 's',
    role: 'canonical',
    selected: 's',
    fallbacks: [],
    notes: [],
    url: 'u',
    attribution: 'a',
    attributionZh: '甲',
  },
  knownGaps: {},
  warnings: [],
  cadence: { every: 'on_change' },
  coverage: { markets: [], delisted: false },
  example: [{ code: '1', day: '2026-06-30', value: 1 }],
} as const

/** `npm run types` completes these tests: it reports an unused `@ts-expect-error`. */
it('defineDataset returns its argument unchanged', () => expect(defineDataset(sound)).toBe(sound))

it('a declaration that names an undeclared column does not compile', () => {
  const misspelt = [
    // @ts-expect-error grain
    () => defineDataset({ ...sound, grain: ['code', 'dya'] }),
    // @ts-expect-error key
    () => defineDataset({ ...sound, key: 'coed' }),
    // @ts-expect-error date
    () => defineDataset({ ...sound, date: 'dya' }),
    // @ts-expect-error slice of a publication
    () => defineDataset({ ...sound, publish: { mode: 'merge', slice: ['dya'] } }),
    // @ts-expect-error body of a source
    () => defineDataset({ ...sound, publish: { mode: 'merge', body: ['dya'] } }),
    // @ts-expect-error column of a filter
    () => defineDataset({ ...sound, filters: { on: { column: 'dya', op: 'eq', doc: 'Day.', docZh: '說明。' } } }),
    // @ts-expect-error second column of a filter
    () => defineDataset({ ...sound, filters: { on: { column: 'code', also: 'coed', op: 'eq', doc: 'Code.', docZh: '說明。' } } }),
    // @ts-expect-error column of a bound
    () => defineDataset({ ...sound, rules: [{ name: 'r', doc: 'D.', docZh: '說明。', column: 'valeu', min: 0 }] }),
    // @ts-expect-error column of a sum
    () => defineDataset({ ...sound, rules: [{ name: 'r', doc: 'D.', docZh: '說明。', column: 'value', sum: ['valeu'] }] }),
    // @ts-expect-error column of a reference
    () => defineDataset({ ...sound, rules: [{ name: 'r', doc: 'D.', docZh: '說明。', dataset: 'd', on: { code: 'coed' } }] }),
    // @ts-expect-error order
    () => defineDataset({ ...sound, order: [['dya', 'desc']] }),
    // @ts-expect-error sortable
    () => defineDataset({ ...sound, sortable: ['dya'] }),
    () =>
      defineDataset({
        ...sound,
        // @ts-expect-error measure of envelope A
        envelope: { kind: 'A', scope: 's', coverage: 'c', measures: [{ name: 'days', of: 'dya', as: 'count' }] },
      }),
    () =>
      defineDataset({
        ...sound,
        // @ts-expect-error count of envelope C
        envelope: { kind: 'C', fieldGroup: 'g', view: 'v', scope: 's', coverage: 'c', counts: { codes: 'coed' }, filters: {} },
      }),
    // @ts-expect-error id of a search hit
    () => defineDataset({ ...sound, search: [{ type: 'index', id: 'coed' }] }),
    // @ts-expect-error title of a search hit
    () => defineDataset({ ...sound, search: [{ type: 'index', id: 'code', title: ['naem'] }] }),
    () =>
      defineDataset({
        ...sound,
        // @ts-expect-error column of a field
        fields: [{ entity: 'index', id: 'code', of: 'the close', ofZh: '收盤', time: 'series', date: 'day', names: { close: 'valeu' } }],
      }),
    () =>
      defineDataset({
        ...sound,
        // @ts-expect-error date of a field view
        fields: [{ entity: 'index', id: 'code', of: 'the close', ofZh: '收盤', time: 'series', date: 'dya', names: { close: 'value' } }],
      }),
    // @ts-expect-error column of an example row
    () => defineDataset({ ...sound, example: [{ code: '1', dya: '2026-06-30', value: 1 }] }),
  ]
  for (const define of misspelt) expect(define).not.toThrow()
})

it('a declaration with a value outside the vocabulary of the catalog does not compile', () => {
  const unknown = [
    // @ts-expect-error family
    () => defineDataset({ ...sound, family: 'sports' }),
    // @ts-expect-error status
    () => defineDataset({ ...sound, status: 'building' }),
    // @ts-expect-error column type
    () => defineDataset({ ...sound, columns: { ...columns, value: { type: 'decimal', zh: '數值', doc: 'Value.', docZh: '數值。' } } }),
    // @ts-expect-error operator of a filter
    () => defineDataset({ ...sound, filters: { on: { column: 'day', op: 'before', doc: 'Day.', docZh: '說明。' } } }),
    // @ts-expect-error direction of the order
    () => defineDataset({ ...sound, order: [['day', 'down']] }),
    // @ts-expect-error kind of envelope
    () => defineDataset({ ...sound, envelope: { kind: 'E' } }),
    // @ts-expect-error plan
    () => defineDataset({ ...sound, access: { plan: 'gold', credits: 1 } }),
    // @ts-expect-error a week without its day
    () => defineDataset({ ...sound, cadence: { every: 'week', expectedAt: '18:00' } }),
  ]
  for (const define of unknown) expect(define).not.toThrow()
})
