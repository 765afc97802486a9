import type { Words } from '../../core/index.ts'
import type { JsonSchema, OpenApi } from '../../http/openapi/index.ts'
import { type Html, html } from '../portal/html.ts'
import type { Language } from '../portal/shell.ts'
import { scrolling, withInlineCode } from './markdown.ts'
import type { ReferenceText } from './reference-zh.ts'

interface Property {
  readonly at: string
  readonly type: string
  readonly description: string
}

const HEADS = {
  field: { en: 'Field', zh: '欄位' },
  type: { en: 'Type', zh: '型別' },
  meaning: { en: 'Meaning', zh: '說明' },
} as const satisfies Readonly<Record<string, Words>>

/** Chinese name of a column, with which its description begins. */
const CHINESE_NAME = /^[^.a-z]*\p{Script=Han}[^.a-z]*\. /u

export function propertyTable(schema: JsonSchema, api: OpenApi, text: ReferenceText, language: Language, label: string): Html {
  const rows = propertiesOf(schema, '', api, language)
  if (rows.length === 0) return html`<p>${typeWords(schema, language)}</p>`
  const heads = Object.values(HEADS).map(words => html`<th scope="col">${words[language]}</th>`)
  const lines = rows.map(
    ({ at, type, description }) =>
      html`<tr><th scope="row"><code>${at}</code></th><td>${type}</td><td class="meaning">${withInlineCode(text(language === 'en' ? description.replace(CHINESE_NAME, '') : description, language))}</td></tr>\n`,
  )
  return scrolling(label, html`<table><thead><tr>${heads}</tr></thead><tbody>${lines}</tbody></table>`)
}

/** @param above the enclosing schemas, to detect recursion */
function propertiesOf(
  given: JsonSchema,
  prefix: string,
  api: OpenApi,
  language: Language,
  above: readonly string[] = [],
): readonly Property[] {
  const name = given['$ref']
  if (above.includes(name as string)) return []
  const within = typeof name === 'string' ? [...above, name] : above
  const schema = resolved(given, api)
  const options = schema['anyOf'] as readonly JsonSchema[] | undefined
  if (options) return once(options.flatMap(option => propertiesOf(option, prefix, api, language, within)))
  if (schema['items']) return propertiesOf(schema['items'] as JsonSchema, `${prefix}[]`, api, language, within)
  return Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>).flatMap(([name, raw]) => {
    const [at, property] = [prefix === '' ? name : `${prefix}.${name}`, resolved(raw, api)]
    return [
      { at, type: typeWords(property, language), description: String(property['description'] ?? '') },
      ...propertiesOf(raw, at, api, language, within),
    ]
  })
}

const once = (properties: readonly Property[]): readonly Property[] => [
  ...new Map(properties.map(property => [JSON.stringify(property), property])).values(),
]

function resolved(schema: JsonSchema, { components }: OpenApi): JsonSchema {
  if (typeof schema['$ref'] !== 'string') return schema
  const { $ref, ...beside } = schema
  return { ...components.schemas[($ref as string).split('/').at(-1)!], ...beside }
}

const TYPES = {
  en: {
    least: (minimum: unknown) => ` from ${minimum}`,
    range: (minimum: unknown, maximum: unknown) => ` ${minimum} to ${maximum}`,
    absent: (value: unknown) => `, default ${value}`,
    or: ' or ',
    list: 'list',
  },
  zh: {
    least: (minimum: unknown) => `，${minimum} 以上`,
    range: (minimum: unknown, maximum: unknown) => `，${minimum} 至 ${maximum}`,
    absent: (value: unknown) => `，預設 ${value}`,
    or: ' 或 ',
    list: '陣列',
  },
} as const

export function typeWords(schema: JsonSchema, language: Language): string {
  const { minimum, maximum, default: absent } = schema
  const words = TYPES[language]
  const range = maximum === undefined ? (minimum === undefined ? '' : words.least(minimum)) : words.range(minimum ?? 0, maximum)
  return `${plainType(schema, language)}${range}${absent === undefined ? '' : words.absent(absent)}`
}

function plainType(schema: JsonSchema, language: Language): string {
  const { or, list } = TYPES[language]
  if (schema['const'] !== undefined) return JSON.stringify(schema['const'])
  if (Array.isArray(schema['enum'])) return schema['enum'].join(' | ')
  const options = schema['anyOf'] as readonly JsonSchema[] | undefined
  if (options) return [...new Set(options.map(option => plainType(option, language)))].join(or)
  const types = [(schema['type'] as string | readonly string[] | undefined) ?? 'any'].flat()
  return types.map(type => (type === 'string' && schema['format'] ? String(schema['format']) : type === 'array' ? list : type)).join(or)
}
