import { expect, it } from 'vitest'
import { loadCatalog } from '../../catalog/index.ts'
import { badgeReasonWords, emptyWords, gapWords, sendErrorWords, subscriptionWords } from '../../portal/parts/labels.ts'
import { BADGE_REASONS } from '../../src/coverage/index.ts'
import { EMPTY_REASONS } from '../../src/read/index.ts'
import { SEND_ERRORS } from '../../src/webhooks/index.ts'

it('gapWords translates every catalog warning into both languages', async () => {
  const labels = [...(await loadCatalog()).values()].flatMap(({ warnings }) => warnings)
  const added = [
    'synthetic_sample_data',
    'market_not_loaded_twse',
    'market_not_loaded_tpex',
    'no_release_passes_its_check',
    'no_scheduled_producer',
  ]
  const untranslated = [...new Set([...labels, ...added])].filter(label => !/\p{Script=Han}/u.test(gapWords(label).zh))
  expect(untranslated).toEqual([])
  expect(gapWords('no_rows_before_2003_05_05').en).toBe('No rows before 2003-05-05')
  expect(gapWords('isin_of_twse_only').en).toBe('ISIN of TWSE only')
})

it('emptyWords has a distinct sentence per empty reason in both languages', () => {
  const sentences = EMPTY_REASONS.map(reason => emptyWords(reason))
  expect(new Set(sentences.map(({ en }) => en)).size).toBe(EMPTY_REASONS.length)
  expect(new Set(sentences.map(({ zh }) => zh)).size).toBe(EMPTY_REASONS.length)
  expect(sentences.map(({ en }) => en)).not.toContain(emptyWords(null).en)
})

it('badgeReasonWords has a sentence per badge reason in both languages', () => {
  for (const reason of Object.keys(BADGE_REASONS)) {
    expect(badgeReasonWords(reason).en).toMatch(/^[A-Z].*\.$/)
    expect(badgeReasonWords(reason).zh).toMatch(/\p{Script=Han}.*。$/u)
  }
})

it('subscriptionWords translates a known status and returns an unknown status unchanged', () => {
  expect(subscriptionWords('past_due')).toEqual({ en: 'payment overdue', zh: '逾期未付' })
  expect(subscriptionWords('of_tomorrow')).toEqual({ en: 'of_tomorrow', zh: 'of_tomorrow' })
})

it('sendErrorWords translates every webhook delivery error', () => {
  for (const error of Object.keys(SEND_ERRORS)) {
    const { en, zh } = sendErrorWords(error)
    expect([en === error, /\p{Script=Han}/u.test(zh)]).toEqual([false, true])
  }
})
