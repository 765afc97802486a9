import { describe, expect, it } from 'vitest'
import { type Dataset, loadCatalog } from '../../catalog/index.ts'

const catalog = await loadCatalog()

/** Characters of Big5, the character set of Taiwan, which has no simplified ones; they are two bytes from A440 to F9D5. */
const TRADITIONAL = new Set([
  ...new TextDecoder('big5').decode(
    Uint8Array.from({ length: 2 * 0x56 * 0xff }, (_, at) => (at % 2 === 0 ? 0xa4 + Math.floor(at / 2 / 0xff) : (at >> 1) % 0xff)),
  ),
])
const notTraditional = (text: string): readonly string[] => [...text].filter(one => /\p{Script=Han}/u.test(one) && !TRADITIONAL.has(one))

type Said = readonly [what: string, en: string, zh: string]

/** Every text about a dataset that readers see, in both languages. */
const saidOf = ({ slug, description, descriptionZh, columns, rules = [], reconcile = [], knownGaps }: Dataset): readonly Said[] => [
  [slug, description, descriptionZh],
  ...Object.entries(columns).map(([name, { doc, docZh }]): Said => [name, doc, docZh]),
  ...rules.map(({ name, doc, docZh }): Said => [name, doc, docZh]),
  ...reconcile.map(({ method, doc, docZh }): Said => [method, doc, docZh]),
  ...Object.entries(knownGaps).map(([label, { en, zh }]): Said => [label, en, zh]),
]

describe.each([...catalog.values()])('what is said of $slug', dataset => {
  const said = saidOf(dataset)
  const wrong = (isWrong: (said: Said) => boolean) => said.filter(isWrong).map(([what]) => what)

  it('is said in English sentences', () => expect(wrong(([, en]) => !/^[\p{Lu}\d]?[^\p{Script=Han}]{4}.*\.$/su.test(en))).toEqual([]))

  it('is said in Chinese sentences, none of which is in Latin letters alone', () =>
    expect(wrong(([, , zh]) => !zh.endsWith('。') || zh.split(/(?<=。)/).some(sentence => !/\p{Script=Han}/u.test(sentence)))).toEqual([]))

  it('is said in traditional characters', () => expect(said.flatMap(([, , zh]) => notTraditional(zh))).toEqual([]))

  it('has Chinese labels', () => expect(Object.values(dataset.columns).filter(({ zh }) => !/\p{Script=Han}/u.test(zh))).toEqual([]))
})

it('tells simplified characters from traditional ones', () => expect(notTraditional('台灣证券余额')).toEqual(['证', '额']))
