import { readFileSync } from 'node:fs'
import type { Catalog, Unit } from '../../../catalog/index.ts'
import { unitText } from '../portal/catalog-words.ts'
import type { Language } from '../portal/shell.ts'

/** Returns a text of the OpenAPI document in a language. English if it has no translation. */
export type ReferenceText = (english: string, language: Language) => string

const FILE = new URL('zh/reference.json', import.meta.url)

/** Sentences with names or numbers of one operation. */
const PATTERNS: readonly (readonly [english: RegExp, chinese: (value: string) => string])[] = [
  [/^Names: (.+)\.$/, names => `可為 ${names.replace(/\w+/g, '`$&`').replaceAll(', ', '、')}。`],
  [/^(`\w+:100\.\.250`) includes both ends\.$/, range => `${range} 包含兩端。`],
  [/^(`\w+:\.\.<250`) excludes 250\.$/, range => `${range} 不含 250。`],
  [/^Costs (\d+) credits?\.$/, credits => `每次 ${credits} 點。`],
  [/^Unit: (.+)\.$/, unit => `單位：${unitText(unit as Unit, 'zh')}。`],
]

/** Splits a text before its last sentence. */
const LAST_SENTENCE = /^(.+\.) ([\p{Lu}`\d/].*)$/su

/**
 * Translates texts of the OpenAPI document. Descriptions of columns are in the dataset files. All
 * other texts are in `zh/reference.json`, by English text, so a changed English text has no
 * translation. Final sentences that many texts share have their own entries.
 */
export function referenceText(catalog: Catalog): ReferenceText {
  const texts: ReadonlyMap<string, string> = new Map([
    ...Object.entries(JSON.parse(readFileSync(FILE, 'utf8')) as Readonly<Record<string, string>>),
    ...[...catalog.values()].flatMap(({ columns }) =>
      Object.values(columns).flatMap(({ zh, doc, docZh }) => [
        [`${zh}. ${doc}`, docZh.startsWith(zh) ? docZh : `${zh}：${docZh}`] as const,
        [`Day whose rows are returned. ${doc}`, `資料列的日期。${docZh}`] as const,
      ]),
    ),
  ])
  const chineseOf = (english: string): string | undefined => {
    const exact = texts.get(english) ?? byPattern(english)
    if (exact !== undefined) return exact
    const [, before, last] = LAST_SENTENCE.exec(english) ?? []
    if (before === undefined) return undefined
    const [first, second] = [chineseOf(before), texts.get(last!) ?? byPattern(last!)]
    return first === undefined || second === undefined ? undefined : first + second
  }
  return (english, language) => (language === 'zh' && english !== '' ? (chineseOf(english) ?? english) : english)
}

function byPattern(english: string): string | undefined {
  for (const [pattern, chinese] of PATTERNS) {
    const value = pattern.exec(english)?.[1]
    if (value !== undefined) return chinese(value)
  }
  return undefined
}
