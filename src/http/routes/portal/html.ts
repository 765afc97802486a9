/** Markup that is safe to send: made by `html`, which escapes whatever was not. */
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

/** A piece of a page. Values are escaped; lists are written one after the other; null is nothing. */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
  html: texts.map((text, at) => (at === 0 ? text : `${written(parts[at - 1])}${text}`)).join(''),
})

/** What pages may load: their own style and script, and answers of this service. Nothing inline, nothing of a third party. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Headers of a page for a browser. */
export const PAGE_HEADERS = { 'content-security-policy': PAGE_POLICY, 'referrer-policy': 'no-referrer', 'x-frame-options': 'DENY' } as const

/** A whole page, UTF-8. */
export function page(title: string, body: Html, script?: string): Buffer {
  const whole = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/docs/style.css">
${script === undefined ? null : html`<script type="module" src="${script}"></script>`}
</head>
<body>
<header><a href="/">twmd</a> <nav><a href="/docs">Reference</a> <a href="/llms.txt">llms.txt</a> <a href="/openapi.json">OpenAPI</a></nav></header>
<main>
${body}
</main>
</body>
</html>
`
  return Buffer.from(whole.html)
}
