import ts from 'typescript'

export type Kind = 'comment' | 'text' | 'title' | 'markdown'

/** One text that people read, with the line it starts on (1 for the first). */
export interface Text {
  readonly kind: Kind
  readonly line: number
  readonly text: string
}

const WORDS = /[A-Za-z]+ [A-Za-z]+ [A-Za-z]+/

/**
 * Comments, test titles and texts for people in a TypeScript file. A string literal counts as a
 * text for people if it contains three consecutive words, unless it is SQL.
 */
export function textsOfCode(source: string, name: string): readonly Text[] {
  const kind = name.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true, kind)
  const lineOf = (position: number): number => file.getLineAndCharacterOfPosition(position).line + 1
  return [...commentsOf(source, file, lineOf), ...literalsOf(file, lineOf)]
}

function commentsOf(source: string, file: ts.SourceFile, lineOf: (position: number) => number): readonly Text[] {
  const found = new Map<number, Text>()
  const visit = (node: ts.Node): void => {
    for (const ranges of [ts.getLeadingCommentRanges(source, node.getFullStart()), ts.getTrailingCommentRanges(source, node.getEnd())])
      for (const { pos, end } of ranges ?? []) found.set(pos, { kind: 'comment', line: lineOf(pos), text: source.slice(pos, end) })
    ts.forEachChild(node, visit)
  }
  visit(file)
  return [...found.values()]
}

const SQL = /^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|WITH|COPY|LEFT JOIN|DESCRIBE|PRAGMA|ALTER|SET) /

function literalsOf(file: ts.SourceFile, lineOf: (position: number) => number): readonly Text[] {
  const found: Text[] = []
  const visit = (node: ts.Node): void => {
    const isText =
      ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node) || ts.isJsxText(node)
    if (isText && WORDS.test(node.text) && !SQL.test(node.text))
      found.push({ kind: isTitle(node) ? 'title' : 'text', line: lineOf(node.getStart()), text: node.text })
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

/**
 * True for the title argument of `it(...)`, `it.each(...)(...)`, `describe(...)` and the like, or
 * for a part of a template in that place.
 */
function isTitle(node: ts.Node): boolean {
  const template = ts.findAncestor(node, ts.isTemplateExpression)
  const { parent } = template ?? node
  return ts.isCallExpression(parent) && /^(it|test|describe)\b/.test(parent.expression.getText())
}

/** Paragraphs, list items and table rows of a Markdown document, without code blocks. */
export function textsOfMarkdown(source: string): readonly Text[] {
  let isCode = false
  return source.split('\n').flatMap((line, index) => {
    if (/^\s*(```|~~~)/.test(line)) {
      isCode = !isCode
      return []
    }
    if (isCode || line.trim() === '') return []
    return [{ kind: 'markdown' as const, line: index + 1, text: line.replaceAll(/`[^`]*`/g, '``').replaceAll(/\]\([^)]*\)/g, ']') }]
  })
}
