import { allOf, anyOf, type BoundedColumns, type Bounds, boundsOf, type Comparison, MIRRORED, UNBOUNDED } from './bounds.ts'
import { boundsOfSql } from './sql-hints.ts'

/** What a reader says of the rows it wants, as Delta Sharing sends it. It filters the rows itself. */
export interface Hints {
  /** SQL conditions, all of which hold. */
  readonly sql: readonly string[]
  /** A tree of comparisons as JSON text; null for none. */
  readonly json: string | null
}

/** Bounds that every row lies in which satisfies the hints. What is not understood of them bounds nothing, and nothing is an error. */
export const boundsOfHints = ({ sql, json }: Hints, columns: BoundedColumns): Bounds =>
  allOf([...sql.map(hint => boundsOfSql(hint, columns)), json === null ? UNBOUNDED : ofJson(json, columns)])

/** Deeper trees are not looked into. */
const DEEPEST = 64

/** One operation of the tree; nothing of it is certain. */
interface Node {
  readonly op?: unknown
  readonly children?: unknown
  readonly name?: unknown
  readonly value?: unknown
  readonly valueType?: unknown
}

const COMPARISONS: ReadonlyMap<unknown, Comparison> = new Map([
  ['equal', '='],
  ['lessThan', '<'],
  ['lessThanOrEqual', '<='],
  ['greaterThan', '>'],
  ['greaterThanOrEqual', '>='],
])
/** What is true of exactly the rows that a comparison is false of; equality bounds nothing then. */
const OPPOSITE: Readonly<Partial<Record<Comparison, Comparison>>> = { '<': '>=', '<=': '>', '>': '<=', '>=': '<' }
/** As other types values may be equal that differ as texts. */
const TEXTUAL: ReadonlySet<unknown> = new Set([undefined, 'string', 'date'])

function ofJson(text: string, columns: BoundedColumns): Bounds {
  try {
    return ofNode(JSON.parse(text), columns, false, 0)
  } catch {
    return UNBOUNDED
  }
}

/** @param negated the rows wanted are those the node is false of */
function ofNode(node: unknown, columns: BoundedColumns, negated: boolean, depth: number): Bounds {
  if (!isNode(node) || !Array.isArray(node.children) || depth > DEEPEST) return UNBOUNDED
  const { op } = node
  const children: readonly unknown[] = node.children
  const inner = (): readonly Bounds[] => children.map(child => ofNode(child, columns, negated, depth + 1))
  if (op === 'and') return negated ? anyOf(inner()) : allOf(inner())
  if (op === 'or') return negated ? allOf(inner()) : anyOf(inner())
  if (op === 'not') return ofNode(children[0], columns, !negated, depth + 1)
  const [left, ...values] = children
  if (op === 'in' && !negated) return anyOf(values.map(value => ofPair(left, '=', value, columns)))
  const stated = COMPARISONS.get(op)
  const comparison = stated && negated ? OPPOSITE[stated] : stated
  return comparison && values.length === 1 ? ofPair(left, comparison, values[0], columns) : UNBOUNDED
}

function ofPair(left: unknown, comparison: Comparison, right: unknown, columns: BoundedColumns): Bounds {
  if (!isNode(left) || !isNode(right)) return UNBOUNDED
  if (left.op === 'literal' && right.op === 'column') return ofPair(right, MIRRORED[comparison], left, columns)
  const { name } = left
  const { value } = right
  if (left.op !== 'column' || right.op !== 'literal' || typeof name !== 'string' || typeof value !== 'string') return UNBOUNDED
  return TEXTUAL.has(left.valueType) && TEXTUAL.has(right.valueType) ? boundsOf(name, comparison, value, columns) : UNBOUNDED
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null
