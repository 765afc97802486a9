import { expect, it } from 'vitest'
import { type Dataset, loadCatalog } from '../../catalog/index.ts'

const catalog = await loadCatalog()

/**
 * Characters of Big5, Taiwan's character set, which contains no simplified characters: two bytes
 * from A440 to F9D5.
 */
const TRADITIONAL = new Set([
  ...new TextDecoder('big5').decode(
    Uint8Array.from({ length: 2 * 0x56 * 0xff }, (_, at) => (at % 2 === 0 ? 0xa4 + Math.floor(at / 2 / 0xff) : (at >> 1) % 0xff)),
  ),
])
const notTraditional = (text: string): readonly string[] => [...text].filter(one => /\p{Script=Han}/u.test(one) && !TRADITIONAL.has(one))

interface Description {
  readonly at: string
  readonly en: string
  readonly zh: string
}

/** Every text about a dataset that users read, in both languages. */
const descriptionsOf = ({ slug, description, descriptionZh, columns, rules = [], reconcile = [], knownGaps }: Dataset): Description[] =>
  [
    { at: 'description', en: description, zh: descriptionZh },
    ...Object.entries(columns).map(([name, { doc, docZh }]) => ({ at: `column ${name}`, en: doc, zh: docZh })),
    ...rules.map(({ name, doc, docZh }) => ({ at: `rule ${name}`, en: doc, zh: docZh })),
    ...reconcile.map(({ method, doc, docZh }) => ({ at: `comparison ${method}`, en: doc, zh: docZh })),
    ...Object.entries(knownGaps).map(([label, { en, zh }]) => ({ at: `gap ${label}`, en, zh })),
  ].map(({ at, ...text }) => ({ at: `${slug}, ${at}`, ...text }))
const descriptions = [...catalog.values()].flatMap(descriptionsOf)
const where = (isWrong: (description: Description) => boolean): readonly string[] => descriptions.filter(isWrong).map(({ at }) => at)

it('every dataset, column, rule, comparison and known gap is described in English sentences', () =>
  expect(where(({ en }) => !/^[\p{Lu}\d]?[^\p{Script=Han}]{4}.*\.$/su.test(en))).toEqual([]))

it('every dataset, column, rule, comparison and known gap is described in sentences with Chinese characters', () =>
  expect(where(({ zh }) => !zh.endsWith('。') || zh.split(/(?<=。)/).some(sentence => !/\p{Script=Han}/u.test(sentence)))).toEqual([]))

it('Chinese descriptions use traditional characters', () =>
  expect(descriptions.flatMap(({ at, zh }) => notTraditional(zh).map(character => `${at}: ${character}`))).toEqual([]))

it('Chinese descriptions name other datasets by title, not by slug', () => {
  const slugs = [...catalog.keys()].filter(slug => slug.includes('-'))
  const namesSlug = ({ zh }: Description) => slugs.some(slug => new RegExp(`(?<![\\w-])${slug}(?![\\w-])`).test(zh))
  // The values of this column are slugs.
  expect(where(namesSlug)).toEqual(['adjustment-factors, column source'])
})

it('every column has a Chinese label', () =>
  expect(
    [...catalog.values()].flatMap(({ slug, columns }) =>
      Object.entries(columns).flatMap(([name, { zh }]) => (/\p{Script=Han}/u.test(zh) ? [] : [`${slug}.${name}`])),
    ),
  ).toEqual([]))

it('the check for traditional characters finds simplified characters', () => expect(notTraditional('台灣证券余额')).toEqual(['证', '额']))

it('market-indices lists the omitted indices as a known gap, with their number', () => {
  const gap = catalog.get('market-indices')!.knownGaps['thematic_and_leveraged_indices_are_left_out']
  expect(gap).toMatchObject({ en: expect.stringMatching(/75 of 227/), zh: expect.stringMatching(/227.*75/) })
})
