export interface Html {
  readonly html: string
}

type Part = Html | string | number | null | undefined | readonly Part[]

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string): string => text.replace(/[&<>"']/g, character => ENTITIES[character]!)

function written(part: Part): string {
  if (part === null || part === undefined) return ''
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part))
  return 'html' in part ? part.html : part.map(written).join('')
}

/** Template tag that escapes values and concatenates lists. Null becomes an empty text. */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
  html: texts.map((text, at) => (at === 0 ? text : `${written(parts[at - 1])}${text}`)).join(''),
})
