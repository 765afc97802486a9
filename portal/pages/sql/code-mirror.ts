import { PostgreSQL, type SQLNamespace, sql } from '@codemirror/lang-sql'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { Compartment, Prec } from '@codemirror/state'
import { keymap } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { basicSetup, EditorView } from 'codemirror'

/** A text field with syntax highlighting and completion. */
export interface CodeField {
  setText(text: string): void
  setTables(tables: Readonly<Record<string, readonly string[]>>): void
  remove(): void
}

export interface CodeFieldOptions {
  readonly text: string
  readonly label: string
  readonly onChange: (text: string) => void
  readonly onRun: () => void
}

/** Uses the page's colors, so that the field follows the theme. */
const THEME = EditorView.theme({
  '&': { backgroundColor: 'var(--back)', color: 'var(--text)', border: '1px solid var(--line)', borderRadius: '4px' },
  '.cm-content': { caretColor: 'var(--text)', minHeight: '10rem' },
  '.cm-gutters': { backgroundColor: 'var(--soft)', color: 'var(--dim)', border: '0' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--accent) 8%, transparent)' },
  '.cm-tooltip': { backgroundColor: 'var(--back)', color: 'var(--text)', border: '1px solid var(--line)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
})

/** Colors that suit both themes. The library's own colors suit only the light theme. */
const HIGHLIGHTS = HighlightStyle.define([
  { tag: tags.keyword, color: 'light-dark(#7a2a96, #d9aaff)' },
  { tag: [tags.typeName, tags.standard(tags.name)], color: 'var(--accent)' },
  { tag: tags.string, color: 'light-dark(#0f5c31, #7fdba8)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: tags.comment, color: 'var(--dim)' },
])

/**
 * Creates an SQL field. Highlights PostgreSQL's syntax, which is close to DuckDB's.
 *
 * @param root a shadow root. In a document, the library would add inline styles, which the content
 * security policy forbids
 */
export function createCodeField(root: ShadowRoot, { text, label, onChange, onRun }: CodeFieldOptions): CodeField {
  const language = new Compartment()
  const languageWith = (schema: SQLNamespace) => sql({ dialect: PostgreSQL, schema, upperCaseKeywords: true })
  const run = () => {
    onRun()
    return true
  }
  const view = new EditorView({
    parent: root,
    root,
    doc: text,
    extensions: [
      Prec.highest(keymap.of([{ key: 'Mod-Enter', run }])),
      basicSetup,
      language.of(languageWith({})),
      THEME,
      syntaxHighlighting(HIGHLIGHTS),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': label }),
      EditorView.updateListener.of(({ docChanged, state }) => {
        if (docChanged) onChange(state.doc.toString())
      }),
    ],
  })
  return {
    setText(next) {
      if (next !== view.state.doc.toString()) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } })
    },
    setTables(tables) {
      const schema = Object.fromEntries(Object.entries(tables).map(([name, columns]) => [name, [...columns]]))
      view.dispatch({ effects: language.reconfigure(languageWith(schema)) })
    },
    remove: () => view.destroy(),
  }
}
