import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'

/** A sentence as it is declared in English and in Chinese. */
interface Pair {
  readonly where: string
  readonly en: ts.Expression
  readonly zh: ts.Expression
}

/** Names under which the two stand beside each other. */
const BESIDE = [
  ['en', 'zh'],
  ['message', 'message_zh'],
] as const

function pairsIn(file: string): readonly Pair[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  const pairs: Pair[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isObjectLiteralExpression(node) || ts.isBlock(node)) {
      const declared = new Map(ts.isBlock(node) ? node.statements.flatMap(declaredBy) : node.properties.flatMap(assignedBy))
      for (const [english, chinese] of BESIDE) {
        const [en, zh] = [declared.get(english), declared.get(chinese)]
        const where = `${file}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1}`
        if (en && zh) pairs.push({ where, en, zh })
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return pairs
}

type Named = readonly [name: string, value: ts.Expression]

const assignedBy = (property: ts.ObjectLiteralElementLike): readonly Named[] =>
  ts.isPropertyAssignment(property) ? [[property.name.getText(), property.initializer]] : []

const declaredBy = (statement: ts.Statement): readonly Named[] =>
  ts.isVariableStatement(statement)
    ? statement.declarationList.declarations.flatMap(({ name, initializer }) =>
        initializer ? [[name.getText(), initializer] as const] : [],
      )
    : []

/** What is written out in an expression, and the names of the figures it puts between. */
function partsOf(expression: ts.Expression): { readonly text: string; readonly figures: readonly string[] } {
  const [texts, figures] = [[] as string[], new Set<string>()]
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) texts.push(node.text)
    const isMember = ts.isPropertyAccessExpression(node.parent) && node.parent.name === node
    if (ts.isIdentifier(node) && !isMember) figures.add(node.text.replace(/^(en|zh)$/, 'words'))
    ts.forEachChild(node, visit)
  }
  visit(expression)
  return { text: texts.join(' '), figures: [...figures].sort() }
}

const files = readdirSync('ingest', { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.ts'))
const pairs = files.flatMap(name => pairsIn(join('ingest', name)))

it('every sentence of a report is in Chinese beside its English', () => {
  expect(pairs.length).toBeGreaterThan(150)
  const untold = pairs.filter(({ en, zh }) => /[a-z]{2}/i.test(partsOf(en).text) && !/\p{Script=Han}/u.test(partsOf(zh).text))
  expect(untold.map(({ where }) => where)).toEqual([])
})

it('and puts the same figures into both', () => {
  const odd = pairs.flatMap(({ where, en, zh }) => {
    const [ours, theirs] = [partsOf(en).figures, partsOf(zh).figures]
    return ours.join() === theirs.join() ? [] : [[where, ours, theirs]]
  })
  expect(odd).toEqual([])
})
