import { allOf, anyOf, type BoundedColumns, type Bounds, boundsOf, type Comparison, MIRRORED, UNBOUNDED } from './bounds.ts'

/** A word or quoted name, a text, a number, a sign. A backslash begins an escape in some dialects: a text with one is none here. */
const TOKEN = /\s*(?:(?<name>[A-Za-z_]\w*|`[^`]+`|"[^"]+")|'(?<text>(?:[^'\\]|'')*)'|(?<number>-?\d[\w.]*)|(?<sign><>|!=|<=|>=|[=<>(),]))/y

interface Token {
  readonly kind: 'name' | 'text' | 'number' | 'sign'
  readonly value: string
}

/**
 * Bounds of one SQL condition: comparisons of a column with a text, `IN` and `BETWEEN`, joined by `AND`; of every row where there is
 * anything else in it. Where all is joined by `AND`, brackets change nothing.
 */
export function boundsOfSql(sql: string, columns: BoundedColumns): Bounds {
  const tokens = tokensOf(sql)
  if (tokens === null) return UNBOUNDED
  const read = createReader(tokens)
  const found: Bounds[] = []
  do {
    const condition = conditionOf(read, columns)
    if (condition === null) return UNBOUNDED
    found.push(condition)
  } while (read.word('AND'))
  return read.isOver() ? allOf(found) : UNBOUNDED
}

/** The parts of a condition; null where there is something that is none. */
function tokensOf(sql: string): readonly Token[] | null {
  const [text, tokens] = [sql.trimEnd(), [] as Token[]]
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

/** Takes one token after the other, as far as they are what is looked for. */
function createReader(tokens: readonly Token[]) {
  let at = 0
  const take = (kind: Token['kind']): string | null => (tokens[at]?.kind === kind ? tokens[at++]!.value : null)
  const word = (wanted: string): boolean => {
    const found = tokens[at]?.kind === 'name' && tokens[at]!.value.toUpperCase() === wanted
    if (found) at++
    return found
  }
  return {
    word,
    name: () => take('name'),
    sign: () => take('sign'),
    /** A text, or a day as `DATE '…'`; null for a number, too, with which a text compares in other ways. */
    text(): string | null {
      if (tokens[at + 1]?.kind === 'text') word('DATE')
      return take('text')
    },
    isAtText: () => tokens[at]?.kind === 'text' || (tokens[at]?.value.toUpperCase() === 'DATE' && tokens[at + 1]?.kind === 'text'),
    isAtComma: () => tokens[at]?.value === ',',
    isOver: () => at === tokens.length,
  }
}

/** One condition; null where it is none of those understood. */
function conditionOf(read: ReturnType<typeof createReader>, columns: BoundedColumns): Bounds | null {
  if (read.isAtText()) {
    const [text, comparison, name] = [read.text(), comparisonOf(read.sign()), read.name()]
    return text === null || comparison === null || name === null ? null : boundsOf(name, MIRRORED[comparison], text, columns)
  }
  const name = read.name()
  if (name === null) return null
  if (read.word('IS')) {
    read.word('NOT')
    return read.word('NULL') ? UNBOUNDED : null
  }
  const compared = (comparison: Comparison): Bounds | null => {
    const text = read.text()
    return text === null ? null : boundsOf(name, comparison, text, columns)
  }
  if (read.word('BETWEEN')) {
    const least = compared('>=')
    const most = read.word('AND') ? compared('<=') : null
    return least === null || most === null ? null : allOf([least, most])
  }
  if (read.word('IN')) {
    const values = [compared('=')]
    while (read.isAtComma()) {
      read.sign()
      values.push(compared('='))
    }
    return values.includes(null) ? null : anyOf(values as readonly Bounds[])
  }
  const comparison = comparisonOf(read.sign())
  return comparison === null ? null : compared(comparison)
}

const comparisonOf = (sign: string | null): Comparison | null =>
  sign !== null && Object.hasOwn(MIRRORED, sign) ? (sign as Comparison) : null
