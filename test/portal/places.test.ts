import { expect, it } from 'vitest'
import { PAGES, type Place, placesFor } from '../../portal/frame/places.ts'
import { DRAWN } from '../../src/site/portal/pages.ts'

const pathsFor = (text: string) => placesFor(text, PAGES, 3).map(({ path }) => path)

it('placesFor finds pages by words of both languages', () => {
  expect(pathsFor('殖利率')).toContain('/market/yield-curve')
  expect(pathsFor('ETF')[0]).toBe('/companies?type=etf')
  expect(pathsFor('bond yield')).toEqual(['/market/yield-curve'])
  expect(pathsFor(' ')).toEqual([])
})

it('placesFor puts titles that start with the text first', () => {
  const guide: Place = { type: 'guide', path: '/docs/x', words: { en: 'How to compare', zh: '如何比較' } }
  expect(placesFor('compare', [guide, ...PAGES], 2).map(({ path }) => path)).toEqual(['/compare', '/docs/x'])
})

it('every page that the search box offers exists', () => {
  const drawn = DRAWN.map(({ path }) => path.replace(':slug', 'daily-prices'))
  const served = new Set(['/datasets', '/docs', '/pricing', '/status', ...drawn])
  expect(PAGES.map(({ path }) => path.split('?')[0]!).filter(path => !served.has(path))).toEqual([])
})
