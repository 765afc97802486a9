import { allOf, anyOf, type BoundedColumns, type Bounds, boundsOf, type Comparison, MIRRORED, UNBOUNDED } from './bounds.ts'
import { boundsOfSql } from './sql-hints.ts'

/** Filters of a Delta Sharing client. The server may omit files that have no matching rows. */
export interface Hints {
  /** SQL conditions, joined by AND. */
  readonly sql: readonly string[]
  /** JSON tree. Null if the client sent none. */
  readonly json: string | null
}

/**
 * Every row that satisfies the hints is within the bounds. Ignores unsupported and malformed hints.
 */
export const boundsOfHints = ({ sql, json }: Hints, columns: BoundedColumns): Bounds =>
  allOf([...sql.map(hint => boundsOfSql(hint, columns)), json === null ? UNBOUNDED : boundsOfJson(json, columns)])

/** Maximum depth of the JSON tree. Deeper nodes are ignored. */
const MOST_DEPTH = 64

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
/** Result of negating a comparison. A negated `=` gives no bounds. */
const OPPOSITE: Readonly<Partial<Record<Comparison, Comparison>>> = { '<': '>=', '<=': '>', '>': '<=', '>=': '<' }
/** Types that can be compared as text. Other types can have several texts for the same value. */
const TEXTUAL: ReadonlySet<unknown> = new Set([undefined, 'string', 'date'])

function boundsOfJson(text: string, columns: BoundedColumns): Bounds {
  try {
    return boundsOfNode(JSON.parse(text), columns, false, 0)
  } catch {
    return UNBOUNDED
  }
}

/** @param negated true to select the rows for which the node is false */
function boundsOfNode(node: unknown, columns: BoundedColumns, negated: boolean, depth: number): Bounds {
  if (!isNode(node) || !Array.isArray(node.children) || depth > MOST_DEPTH) return UNBOUNDED
  const { op } = node
  const children: readonly unknown[] = node.children
  const inner = (): readonly Bounds[] => children.map(child => boundsOfNode(child, columns, negated, depth + 1))
  if (op === 'and') return negated ? anyOf(inner()) : allOf(inner())
  if (op === 'or') return negated ? allOf(inner()) : anyOf(inner())
  if (op === 'not') return boundsOfNode(children[0], columns, !negated, depth + 1)
  const [left, ...values] = children
  if (op === 'in' && !negated) return anyOf(values.map(value => boundsOfComparison(left, '=', value, columns)))
  const stated = COMPARISONS.get(op)
  const comparison = stated && negated ? OPPOSITE[stated] : stated
  return comparison && values.length === 1 ? boundsOfComparison(left, comparison, values[0], columns) : UNBOUNDED
}

function boundsOfComparison(left: unknown, comparison: Comparison, right: unknown, columns: BoundedColumns): Bounds {
  if (!isNode(left) || !isNode(right)) return UNBOUNDED
  if (left.op === 'literal' && right.op === 'column') return boundsOfComparison(right, MIRRORED[comparison], left, columns)
  const { name } = left
  const { value } = right
  if (left.op !== 'column' || right.op !== 'literal' || typeof name !== 'string' || typeof value !== 'string') return UNBOUNDED
  return TEXTUAL.has(left.valueType) && TEXTUAL.has(right.valueType) ? boundsOf(name, comparison, value, columns) : UNBOUNDED
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null
