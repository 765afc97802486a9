import type { FastifyReply } from 'fastify'
import { type Html, html } from './html.ts'

/** What pages may load: their own style and script, and answers of this service. Nothing inline, nothing of a third party. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Headers of a page for a browser. */
export function guardPage(reply: FastifyReply): void {
  reply.type('text/html; charset=utf-8').header('content-security-policy', PAGE_POLICY)
  reply.header('referrer-policy', 'no-referrer').header('x-frame-options', 'DENY')
}

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
