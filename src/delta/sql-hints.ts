import { allOf, anyOf, type BoundedColumns, type Bounds, boundsOf, type Comparison, MIRRORED, UNBOUNDED } from './bounds.ts'

/** Does not match a text with a backslash, which some SQL dialects treat as an escape. */
const TOKEN = /\s*(?:(?<name>[A-Za-z_]\w*|`[^`]+`|"[^"]+")|'(?<text>(?:[^'\\]|'')*)'|(?<number>-?\d[\w.]*)|(?<sign><>|!=|<=|>=|[=<>(),]))/y

interface Token {
  readonly kind: 'name' | 'text' | 'number' | 'sign'
  readonly value: string
}

/**
 * Supports comparisons with a text, `IN` and `BETWEEN`, joined by `AND`. Ignores parentheses. Other
 * conditions give no bounds.
 */
export function boundsOfSql(sql: string, columns: BoundedColumns): Bounds {
  const tokens = tokensOf(sql)
  if (tokens === null) return UNBOUNDED
  const read = createReader(tokens)
  const conditions: Bounds[] = []
  do {
    const condition = conditionOf(read, columns)
    if (condition === null) return UNBOUNDED
    conditions.push(condition)
  } while (read.word('AND'))
  return read.isAtEnd() ? allOf(conditions) : UNBOUNDED
}

/** Null if any part of the text is not a token. */
function tokensOf(sql: string): readonly Token[] | null {
  const text = sql.trimEnd()
  const tokens: Token[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    const groups = TOKEN.exec(text)?.groups
    if (!groups) return null
    const [kind, value] = Object.entries(groups).find(([, value]) => value !== undefined) as [Token['kind'], string]
    if (value === '(' || value === ')') continue
    tokens.push({ kind, value: kind === 'name' ? value.replaceAll(/[`"]/g, '') : value.replaceAll("''", "'") })
  }
  return tokens
}

/** Each method consumes the next token only if the token has the expected kind. */
function createReader(tokens: readonly Token[]) {
  let next = 0
  const take = (kind: Token['kind']): string | null => (tokens[next]?.kind === kind ? tokens[next++]!.value : null)
  const word = (keyword: string): boolean => {
    const matches = tokens[next]?.kind === 'name' && tokens[next]!.value.toUpperCase() === keyword
    if (matches) next++
    return matches
  }
  return {
    word,
    name: () => take('name'),
    sign: () => take('sign'),
    /**
     * Reads a text or `DATE '…'`. Null for numbers, because engines compare numbers and texts
     * differently.
     */
    text(): string | null {
      if (tokens[next + 1]?.kind === 'text') word('DATE')
      return take('text')
    },
    isAtText: () => tokens[next]?.kind === 'text' || (tokens[next]?.value.toUpperCase() === 'DATE' && tokens[next + 1]?.kind === 'text'),
    isAtComma: () => tokens[next]?.value === ',',
    isAtEnd: () => next === tokens.length,
  }
}

/** Null if the condition is not supported. */
function conditionOf(read: ReturnType<typeof createReader>, columns: BoundedColumns): Bounds | null {
  if (read.isAtText()) {
    const text = read.text()
    const comparison = comparisonOf(read.sign())
    const name = read.name()
    return text === null || comparison === null || name === null ? null : boundsOf(name, MIRRORED[comparison], text, columns)
  }
  const name = read.name()
  if (name === null) return null
  if (read.word('IS')) {
    read.word('NOT')
    return read.word('NULL') ? UNBOUNDED : null
  }
  const boundsBy = (comparison: Comparison): Bounds | null => {
    const text = read.text()
    return text === null ? null : boundsOf(name, comparison, text, columns)
  }
  if (read.word('BETWEEN')) {
    const lower = boundsBy('>=')
    const upper = read.word('AND') ? boundsBy('<=') : null
    return lower === null || upper === null ? null : allOf([lower, upper])
  }
  if (read.word('IN')) {
    const values = [boundsBy('=')]
    while (read.isAtComma()) {
      read.sign()
      values.push(boundsBy('='))
    }
    return values.includes(null) ? null : anyOf(values as readonly Bounds[])
  }
  const comparison = comparisonOf(read.sign())
  return comparison === null ? null : boundsBy(comparison)
}

const comparisonOf = (sign: string | null): Comparison | null =>
  sign !== null && Object.hasOwn(MIRRORED, sign) ? (sign as Comparison) : null
