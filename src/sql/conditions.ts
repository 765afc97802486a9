import { isObject, listOf, type Node, textOf } from './tree.ts'

/** A constant, or the name of a parameter. */
export type Operand = { readonly text: string } | { readonly parameter: string }

/** A condition that excludes rows without an effect on the answer. */
export interface Condition {
  readonly column: string
  readonly op: 'in' | 'from' | 'to'
  readonly values: readonly Operand[]
}

export type Views = ReadonlyMap<string, ReadonlySet<string>>

interface Scope {
  readonly from: Node
  readonly views: Views
}

interface NamedTable {
  readonly node: Node
  readonly name: string
}

/**
 * Finds conditions by which fewer rows are read and charged. The conditions never change the
 * result.
 */
export function conditionsOf(nodes: readonly Node[], views: Views): ReadonlyMap<Node, readonly Condition[]> {
  const found = new Map<Node, Condition[]>()
  for (const select of nodes) {
    if (select['type'] !== 'SELECT_NODE' || !isObject(select['from_table'])) continue
    const from = select['from_table']
    const tables = tablesIn(from)
    if (!tables) continue
    for (const conjunct of conjuncts(select['where_clause'])) {
      const condition = comparison(conjunct)
      if (!condition) continue
      for (const table of holders(condition.names, tables, { from, views })) {
        const { names, ...rest } = condition
        found.set(table, [...(found.get(table) ?? []), { ...rest, column: names.at(-1)! }])
      }
    }
  }
  return found
}

/** Null for joins that need all rows of a table, for example ASOF joins. */
function tablesIn(from: Node): readonly NamedTable[] | null {
  if (from['type'] === 'BASE_TABLE') {
    if (Array.isArray(from['column_name_alias']) && from['column_name_alias'].length > 0) return null
    return [{ node: from, name: (textOf(from['alias']) || textOf(from['table_name'])).toLowerCase() }]
  }
  if (from['type'] !== 'JOIN') return [{ node: from, name: textOf(from['alias']).toLowerCase() }]
  if (!/^(REGULAR|CROSS)$/.test(textOf(from['ref_type'])) || !/^(INNER|LEFT|RIGHT|OUTER|FULL)$/.test(textOf(from['join_type']))) return null
  const [left, right] = [tablesIn(from['left'] as Node), tablesIn(from['right'] as Node)]
  return left && right && [...left, ...right]
}

function holders(names: readonly string[], tables: readonly NamedTable[], { from, views }: Scope): readonly Node[] {
  const [qualifier, column] = names.length === 2 ? names : [undefined, names[0]!]
  const named = tables.filter(({ name }) => name === qualifier)
  const first = qualifier === undefined ? unqualified(column!, tables, { from, views }) : named.length === 1 ? named[0] : undefined
  if (!first) return []
  return [first, ...equalTables(first, column!, tables, from)].map(({ node }) => node)
}

/** Finds the table of a column that is written without a table name. */
function unqualified(column: string, tables: readonly NamedTable[], { from, views }: Scope): NamedTable | undefined {
  if (tables.length === 1) return tables[0]
  const columns = tables.map(({ node }) =>
    node['type'] === 'BASE_TABLE' ? views.get(textOf(node['table_name']).toLowerCase()) : undefined,
  )
  const owners = tables.filter((_, index) => columns[index]?.has(column))
  if (owners.length === 1 && columns.every(names => names !== undefined)) return owners[0]
  const isShared = (join: Node): boolean =>
    join['type'] === 'JOIN' &&
    isEqualizing(join) &&
    usingOf(join).includes(column) &&
    (isLeaf(join['left']) || isShared(join['left'] as Node))
  return isShared(from) ? tables[0] : undefined
}

/** Returns tables in which the column always has the same value. */
function equalTables(first: NamedTable, column: string, tables: readonly NamedTable[], from: Node): readonly NamedTable[] {
  if (tables[0] !== first) return []
  const equal: NamedTable[] = []
  for (let join = from; join['type'] === 'JOIN'; join = join['left'] as Node) {
    const right = tables.find(({ node }) => node === join['right'])
    // Other joins can add removed rows again.
    if (!isEqualizing(join)) return []
    if (right && (usingOf(join).includes(column) || comparesEqual(join, first.name, right.name, column))) equal.push(right)
  }
  return equal
}

const isLeaf = (node: unknown): boolean => isObject(node) && node['type'] !== 'JOIN'
const isEqualizing = (join: Node): boolean => /^(INNER|LEFT)$/.test(textOf(join['join_type']))
const usingOf = (join: Node): readonly string[] =>
  Array.isArray(join['using_columns']) ? join['using_columns'].map(name => textOf(name).toLowerCase()) : []

function comparesEqual(join: Node, left: string, right: string, column: string): boolean {
  return conjuncts(join['condition']).some(node => {
    if (node['type'] !== 'COMPARE_EQUAL') return false
    const sides = [columnNames(node['left']), columnNames(node['right'])].map(names => names?.join('.'))
    return sides.includes(`${left}.${column}`) && sides.includes(`${right}.${column}`)
  })
}

function conjuncts(expression: unknown): readonly Node[] {
  const found: Node[] = []
  const pending = [expression]
  while (pending.length > 0) {
    const node = pending.pop()
    if (!isObject(node)) continue
    if (node['type'] === 'CONJUNCTION_AND') pending.push(...listOf(node['children']))
    else found.push(node)
  }
  return found.flatMap(node =>
    node['class'] === 'BETWEEN'
      ? [
          { type: 'COMPARE_GREATERTHANOREQUALTO', left: node['input'], right: node['lower'] },
          { type: 'COMPARE_LESSTHANOREQUALTO', left: node['input'], right: node['upper'] },
        ]
      : [node],
  )
}

type NamedCondition = Omit<Condition, 'column'> & { readonly names: readonly string[] }

const COMPARISONS: Readonly<Record<string, readonly [op: Condition['op'], swapped: Condition['op']]>> = {
  COMPARE_EQUAL: ['in', 'in'],
  COMPARE_GREATERTHAN: ['from', 'to'],
  COMPARE_GREATERTHANOREQUALTO: ['from', 'to'],
  COMPARE_LESSTHAN: ['to', 'from'],
  COMPARE_LESSTHANOREQUALTO: ['to', 'from'],
}

function comparison(node: Node): NamedCondition | undefined {
  if (node['type'] === 'COMPARE_IN') {
    const [input, ...items] = listOf(node['children'])
    const names = columnNames(input)
    const values = items.map(operand)
    return names && values.length > 0 && values.every(value => value !== undefined) ? { names, op: 'in', values } : undefined
  }
  const ops = COMPARISONS[textOf(node['type'])]
  if (!ops) return undefined
  const isSwapped = columnNames(node['left']) === undefined
  const names = columnNames(isSwapped ? node['right'] : node['left'])
  const value = operand(isSwapped ? node['left'] : node['right'])
  return names && value && { names, op: ops[isSwapped ? 1 : 0], values: [value] }
}

/** Column, or table and column, in lower case. */
function columnNames(node: unknown): readonly string[] | undefined {
  if (!isObject(node) || node['class'] !== 'COLUMN_REF' || !Array.isArray(node['column_names'])) return undefined
  const names = node['column_names'].map(name => textOf(name).toLowerCase())
  return names.length <= 2 ? names : undefined
}

/** Undefined if the expression is neither a constant nor a parameter. */
function operand(node: unknown): Operand | undefined {
  if (!isObject(node)) return undefined
  if (node['class'] === 'PARAMETER') return { parameter: textOf(node['identifier']) }
  if (node['class'] === 'CAST' && isObject(node['cast_type']) && isDateType(node['cast_type'])) return operand(node['child'])
  if (node['class'] !== 'CONSTANT' || !isObject(node['value'])) return undefined
  const { value } = node['value']
  return typeof value === 'string' ? { text: value } : undefined
}

const isDateType = (type: Node): boolean =>
  type['id'] === 'DATE' || (isObject(type['type_info']) && textOf(type['type_info']['name']).toUpperCase() === 'DATE')
