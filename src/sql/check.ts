import { type Fault, inputRefusal, nearest, type Words } from '../core/index.ts'
import { clip } from '../read/index.ts'
import { type Condition, conditionsOf, type Views } from './conditions.ts'
import { FUNCTIONS, SESSION_WORDS, TABLE_FUNCTIONS } from './functions.ts'
import { isObject, type Node, nodesIn, textOf } from './tree.ts'

export interface TableUse {
  readonly view: string
  readonly conditions: readonly Condition[]
}

export interface CheckedQuery {
  readonly uses: readonly TableUse[]
  /** Positional parameters have the names `1`, `2` and so on. */
  readonly parameters: readonly string[]
}

/** Allowed expressions, with a pattern for the types of each expression. */
const EXPRESSIONS: Readonly<Record<string, RegExp>> = {
  BETWEEN: /^COMPARE_BETWEEN$/,
  CASE: /^CASE_EXPR$/,
  CAST: /^OPERATOR_CAST$/,
  COLLATE: /^COLLATE$/,
  COLUMN_REF: /^COLUMN_REF$/,
  COMPARISON: /^COMPARE_(EQUAL|NOTEQUAL|LESSTHAN|GREATERTHAN|LESSTHANOREQUALTO|GREATERTHANOREQUALTO|DISTINCT_FROM|NOT_DISTINCT_FROM)$/,
  CONJUNCTION: /^CONJUNCTION_(AND|OR)$/,
  CONSTANT: /^VALUE_CONSTANT$/,
  FUNCTION: /^FUNCTION$/,
  LAMBDA: /^LAMBDA$/,
  OPERATOR:
    /^(ARRAY_CONSTRUCTOR|ARRAY_EXTRACT|ARRAY_SLICE|STRUCT_EXTRACT|COMPARE_IN|COMPARE_NOT_IN|GROUPING_FUNCTION|OPERATOR_(COALESCE|IS_NULL|IS_NOT_NULL|NOT|NULLIF|TRY|UNPACK))$/,
  PARAMETER: /^VALUE_PARAMETER$/,
  POSITIONAL_REFERENCE: /^POSITIONAL_REFERENCE$/,
  STAR: /^STAR$/,
  SUBQUERY: /^SUBQUERY$/,
  WINDOW: /^WINDOW_(AGGREGATE|ROW_NUMBER|RANK|RANK_DENSE|PERCENT_RANK|CUME_DIST|NTILE|FIRST_VALUE|LAST_VALUE|NTH_VALUE|LEAD|LAG|FILL)$/,
}

const NODES: ReadonlySet<string> = new Set([
  'SELECT_NODE',
  'SET_OPERATION_NODE',
  'BASE_TABLE',
  'EMPTY',
  'EXPRESSION_LIST',
  'JOIN',
  'PIVOT',
  'SHOW_REF',
  'SUBQUERY',
  'TABLE_FUNCTION',
  'DISTINCT_MODIFIER',
  'LIMIT_MODIFIER',
  'LIMIT_PERCENT_MODIFIER',
  'ORDER_MODIFIER',
  'ASCENDING',
  'DESCENDING',
  'ORDER_DEFAULT',
  'ARRAY_TYPE_INFO',
  'DECIMAL_TYPE_INFO',
  'LIST_TYPE_INFO',
  'STRING_TYPE_INFO',
  'STRUCT_TYPE_INFO',
  'UNBOUND_TYPE_INFO',
])

/** Excludes names of the engine's own tables. */
const CTE_NAME = /^(?!pg_|duckdb_|sqlite_|pragma_|information_schema$)[\p{L}_][\p{L}\p{N}_]{0,62}$/iu

/**
 * Refuses a query that contains anything unknown.
 *
 * @param tree parse tree from `json_serialize_sql`
 * @param views views of all plans, including plans above the caller's plan
 * @param where parameter that contains the query
 * @param offset number of bytes before the query
 * @throws Refusal invalid_parameter with the first 10 faults
 */
export function checkQuery(tree: Node, views: Views, where: Fault['loc'], offset = 0): CheckedQuery {
  const faults: Fault[] = []
  const refuse = (words: Words, { query_location: at }: Node = {}): void => {
    const place =
      typeof at === 'number' && at < 2 ** 31
        ? { en: ` (at byte ${Math.max(0, at - offset)})`, zh: `（第 ${Math.max(0, at - offset)} 位元組）` }
        : { en: '', zh: '' }
    const located = { en: `${where.at(-1)}${place.en} ${words.en}`, zh: `${where.at(-1)}${place.zh} ${words.zh}` }
    faults.push({ loc: where, words: located, type: 'sql_not_allowed' })
  }
  const nodes = nodesIn(tree)
  const commonNames = new Set<string>()
  for (const { name, node } of commonExpressions(nodes)) {
    if (views.has(name.toLowerCase())) refuse(namedAsView(name), node)
    else if (CTE_NAME.test(name)) commonNames.add(name.toLowerCase())
    else refuse(badName(name), node)
  }
  const tables = new Set<string>()
  const parameters = new Set<string>()
  for (const node of nodes) {
    const words = faultOf(node) ?? tableFault(node, views, commonNames)
    if (words) refuse(words, node)
    else if (node['type'] === 'BASE_TABLE' && views.has(nameOf(node))) tables.add(nameOf(node))
    else if (node['class'] === 'PARAMETER') parameters.add(textOf(node['identifier']))
  }
  if (faults.length > 0) throw inputRefusal(faults.slice(0, 10))
  const uses = nodes.flatMap(node => (node['type'] === 'BASE_TABLE' && tables.has(nameOf(node)) ? [node] : []))
  const conditions = conditionsOf(nodes, views)
  return {
    uses: uses.map(node => ({ view: nameOf(node), conditions: conditions.get(node) ?? [] })),
    parameters: [...parameters],
  }
}

const nameOf = (table: Node): string => textOf(table['table_name']).toLowerCase()

const commonExpressions = (nodes: readonly Node[]): readonly { readonly name: string; readonly node: Node }[] =>
  nodes.flatMap(node => {
    const map = isObject(node['cte_map']) ? node['cte_map']['map'] : []
    return (map as readonly Node[]).map(entry => ({ name: textOf(entry['key']), node: entry }))
  })

/** Undefined if the node is allowed. */
function faultOf(node: Node): Words | undefined {
  const { class: kind, type } = node
  if (isObject(node['sample'])) return NO_SAMPLE
  if (isObject(node['at_clause'])) return NO_TIME_TRAVEL
  if (textOf(node['pivot_enum']) !== '') return notAllowed('PIVOT with a type')
  if (textOf(node['catalog']) !== '' || textOf(node['catalog_name']) !== '') return QUALIFIED
  if (typeof kind === 'string') {
    if (!EXPRESSIONS[kind]?.test(textOf(type))) return notAllowed(`${kind} ${textOf(type)}`)
    if (kind === 'FUNCTION' || kind === 'WINDOW') return functionFault(node)
    const names = node['column_names']
    if (kind === 'COLUMN_REF' && Array.isArray(names) && names.length === 1 && SESSION_WORDS.has(textOf(names[0]).toLowerCase()))
      return sessionWord(textOf(names[0]))
    return undefined
  }
  if (typeof type === 'string') {
    if (type === 'RECURSIVE_CTE_NODE') return NO_RECURSION
    if (!NODES.has(type)) return notAllowed(type)
    if (textOf(node['schema']) !== '') return QUALIFIED
  }
  return undefined
}

function functionFault(node: Node): Words | undefined {
  const name = textOf(node['function_name']).toLowerCase()
  const schema = textOf(node['schema'])
  // The parser adds the schema `main` to some functions.
  if (schema !== '' && schema !== 'main') return qualifiedFunction(name)
  if (node['export_state'] === true) return notAllowed('EXPORT_STATE')
  if (FUNCTIONS.has(name) || TABLE_FUNCTIONS.has(name)) return undefined
  const guess = nearest(name, [...FUNCTIONS])
  const way: Words = guess ? { en: `Did you mean ${guess}? `, zh: `您是指 ${guess} 嗎？` } : { en: '', zh: '' }
  return {
    en: `calls ${clip(name)}(), which is not available. ${way.en}The page /docs/sql lists the functions.`,
    zh: `使用了不支援的函式 ${clip(name)}()。${way.zh}可用的函式見 /docs/sql。`,
  }
}

function tableFault(node: Node, views: Views, commonNames: ReadonlySet<string>): Words | undefined {
  const { type } = node
  if (typeof node['class'] === 'string') return undefined
  if (type === 'SHOW_REF') {
    const isSummary = (node['show_type'] === 'SUMMARY' || node['show_type'] === 'DESCRIBE') && isObject(node['query'])
    return isSummary && textOf(node['table_name']) === '' ? undefined : notAllowed('SHOW')
  }
  if (type === 'TABLE_FUNCTION') {
    const name = isObject(node['function']) ? textOf(node['function']['function_name']).toLowerCase() : ''
    return TABLE_FUNCTIONS.has(name) ? undefined : notTable(`${name}()`)
  }
  if (type !== 'BASE_TABLE') return undefined
  if (textOf(node['schema_name']) !== '') return QUALIFIED
  const name = nameOf(node)
  if (views.has(name) || commonNames.has(name)) return undefined
  return unknownTable(textOf(node['table_name']), nearest(name.replaceAll('-', '_'), [...views.keys(), ...commonNames]))
}

const notAllowed = (what: string): Words => ({
  en: `uses ${what}, which is not available. Write one SELECT over the datasets.`,
  zh: `使用了不支援的語法 ${what}。請改用單一 SELECT 查詢資料集。`,
})
const notTable = (name: string): Words => ({
  en: `reads from ${clip(name)}, which is not available. FROM accepts datasets, subqueries, ${[...TABLE_FUNCTIONS].join(', ')}.`,
  zh: `從 ${clip(name)} 讀取，但不支援此來源。FROM 可用資料集、子查詢與 ${[...TABLE_FUNCTIONS].join('、')}。`,
})
const unknownTable = (name: string, guess: string | undefined): Words => ({
  en: `reads from ${clip(name)}, which is not a dataset. ${guess ? `Did you mean ${guess}?` : 'Write the slug of a dataset with _ instead of -.'}`,
  zh: `從 ${clip(name)} 讀取，但查無此資料集。${guess ? `您是指 ${guess} 嗎？` : '請以資料集名稱查詢，並以 _ 代替 -。'}`,
})
const sessionWord = (name: string): Words => ({
  en: `uses ${clip(name)}, which depends on the session or the time of the call. Write the value, or bind a parameter.`,
  zh: `使用了 ${clip(name)}，其值取決於連線或呼叫時間。請直接寫出該值，或以參數傳入。`,
})
const namedAsView = (name: string): Words => ({
  en: `names a common table expression ${clip(name)}, which is the name of a dataset. Choose another name.`,
  zh: `WITH 子句的名稱 ${clip(name)} 與資料集同名。請改用其他名稱。`,
})
const badName = (name: string): Words => ({
  en: `names a common table expression ${clip(name)}, which is not allowed. Use letters, digits and _.`,
  zh: `WITH 子句的名稱 ${clip(name)} 不符規定。請使用字母、數字與 _。`,
})
const qualifiedFunction = (name: string): Words => ({
  en: `calls ${clip(name)} with a schema or as a method. Write ${clip(name)}(…) with its arguments.`,
  zh: `中的 ${clip(name)} 前不可加結構描述（schema）名稱，也不可用方法語法呼叫。請寫作 ${clip(name)}(…)。`,
})
const QUALIFIED: Words = {
  en: 'names a schema or database. Write the dataset alone, for example daily_prices.',
  zh: '指定了 schema 或資料庫。請只寫資料集名稱，例如 daily_prices。',
}
const NO_RECURSION: Words = {
  en: 'uses WITH RECURSIVE, which is not available. Use range() or a window function.',
  zh: '使用了不支援的 WITH RECURSIVE。請改用 range() 或視窗函式。',
}
const NO_SAMPLE: Words = {
  en: 'uses a random sample, which is not available. Use LIMIT, or a condition on hash().',
  zh: '不支援隨機抽樣。請改用 LIMIT，或以 hash() 設定條件。',
}
const NO_TIME_TRAVEL: Words = {
  en: 'uses AT, which is not available. Send as_of or releases.',
  zh: '使用了不支援的 AT。請改用參數 as_of 或 releases。',
}
