import highlighter from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import pythonRepl from 'highlight.js/lib/languages/python-repl'
import r from 'highlight.js/lib/languages/r'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import { type Html, html } from '../portal/html.ts'

for (const [name, grammar] of Object.entries({ bash, json, python, 'python-repl': pythonRepl, r, sql, typescript }))
  highlighter.registerLanguage(name, grammar)

/** Grammar by lower-case language name. */
const GRAMMARS: Readonly<Record<string, string>> = {
  sh: 'bash',
  curl: 'bash',
  json: 'json',
  py: 'python',
  python: 'python',
  pycon: 'python-repl',
  r: 'r',
  sql: 'sql',
  'duckdb sql': 'sql',
  ts: 'typescript',
  typescript: 'typescript',
}

/** Returns HTML with classes such as `hljs-string`. Code in an unknown language has no classes. */
export function highlighted(code: string, language: string): Html {
  const grammar = GRAMMARS[language.toLowerCase()]
  if (grammar === undefined) return html`<code>${code}</code>`
  const marked = { html: highlighter.highlight(code, { language: grammar, ignoreIllegals: true }).value }
  return html`<code class="language-${grammar}">${marked}</code>`
}
