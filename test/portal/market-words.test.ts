import { expect, it } from 'vitest'
import { loadCatalog } from '../../catalog/index.ts'
import { SAMPLES } from '../../ingest/samples/index.ts'
import { familyWords, indexWords, industryWords, securityTypeWords } from '../../portal/parts/market-words.ts'

const han = /\p{Script=Han}/u
const valuesOf = (slug: string, column: string): readonly string[] => [
  ...new Set(SAMPLES[slug]!('2026-06-30').flatMap(row => (typeof row[column] === 'string' ? [row[column]] : []))),
]

it('every industry, security type and index of the samples has an English name', () => {
  const english = [
    ...valuesOf('listed-securities', 'industry').map(name => industryWords(name).en),
    ...valuesOf('listed-securities', 'security_type').map(name => securityTypeWords(name).en),
    ...valuesOf('market-indices', 'name').map(name => indexWords(name).en),
    ...valuesOf('index-classification', 'index_name').map(name => indexWords(name).en),
  ]
  expect(english.filter(name => han.test(name))).toEqual([])
})

it('industries have the same English names as in the search', async () => {
  const { search } = (await loadCatalog()).get('theme-taxonomy')!
  const called = new Set(Object.values(search!.find(({ type }) => type === 'theme')!.called!))
  const names = valuesOf('listed-securities', 'industry').map(name => industryWords(name).en)
  expect(names.filter(name => !called.has(name))).toEqual([])
})

it('indexWords names sector, total return and main indices', () => {
  expect(indexWords('發行量加權股價指數')).toEqual({ en: 'TAIEX', zh: '發行量加權股價指數' })
  expect(indexWords('發行量加權股價報酬指數').en).toBe('TAIEX Total Return')
  expect(indexWords('金融保險類指數').en).toBe('Financial and Insurance Index')
  expect(indexWords('金融保險類報酬指數').en).toBe('Financial and Insurance Total Return Index')
  expect(indexWords('未知之指數')).toEqual({ en: '未知之指數', zh: '未知之指數' })
})

it('familyWords names every group of datasets in both languages', async () => {
  const families = new Set([...(await loadCatalog()).values()].map(({ family }) => family))
  for (const family of families) expect(han.test(familyWords(family).zh), family).toBe(true)
})
