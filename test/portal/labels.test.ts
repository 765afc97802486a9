import { expect, it } from 'vitest'
import { loadCatalog } from '../../catalog/index.ts'
import { emptyWords, gapWords } from '../../src/portal/parts/labels.ts'
import { EMPTY_REASONS } from '../../src/read/index.ts'

it('every known gap and warning of the catalog has words in both languages', async () => {
  const labels = [...(await loadCatalog()).values()].flatMap(({ knownGaps, warnings }) => [...Object.keys(knownGaps), ...warnings])
  const added = ['synthetic_sample_data', 'market_not_loaded_twse', 'market_not_loaded_tpex', 'no_release_passes_its_check']
  const untranslated = [...new Set([...labels, ...added])].filter(label => !/\p{Script=Han}/u.test(gapWords(label).zh))
  expect(untranslated).toEqual([])
  expect(gapWords('no_rows_before_2003_05_05').en).toBe('No rows before 2003-05-05')
  expect(gapWords('isin_of_twse_only').en).toBe('ISIN of TWSE only')
})

it('every reason for having no rows is said in a sentence of its own', () => {
  const sentences = EMPTY_REASONS.map(reason => emptyWords(reason))
  expect(new Set(sentences.map(({ en }) => en)).size).toBe(EMPTY_REASONS.length)
  expect(new Set(sentences.map(({ zh }) => zh)).size).toBe(EMPTY_REASONS.length)
  expect(sentences.map(({ en }) => en)).not.toContain(emptyWords(null).en)
})
