import type { Cell, Row } from '../../api/client.ts'
import type { Mark } from '../../parts/rows-table.tsx'

/** Two answers to one question, row by row. */
export interface Compared {
  /** Rows of both, in their order; of a row that both have, the older one. */
  readonly rows: readonly Row[]
  /** What became of a cell since; null where it is the same. */
  readonly mark: (row: Row, column: string) => Mark | null
  readonly added: number
  readonly changed: number
  readonly removed: number
}

interface Pair {
  readonly older: Row | null
  readonly newer: Row | null
}

/**
 * Compares the rows of an older release with those of a newer one by the columns that name a row.
 *
 * @param words say in the page's language what became of a cell or row; `now` is the value as it is read today
 */
export function compare(
  older: readonly Row[],
  newer: readonly Row[],
  grain: readonly string[],
  words: { readonly added: string; readonly removed: string; readonly changed: (now: Cell | undefined) => string },
): Compared {
  const nameOf = (row: Row): string => JSON.stringify(grain.map(column => row[column]))
  const [before, after] = [new Map(older.map(row => [nameOf(row), row])), new Map(newer.map(row => [nameOf(row), row]))]
  const pairs = new Map<Row, Pair>()
  const put = (older: Row | null, newer: Row | null) => pairs.set((older ?? newer)!, { older, newer })
  // Rows of both come in one order: what only one has stands before the row that follows it there.
  let at = 0
  const untilKnown = () => {
    for (; at < newer.length && !before.has(nameOf(newer[at]!)); at++) put(null, newer[at]!)
  }
  for (const row of older) {
    const now = after.get(nameOf(row)) ?? null
    if (now) {
      untilKnown()
      at++
    }
    put(row, now)
  }
  for (; at < newer.length; at++) if (!before.has(nameOf(newer[at]!))) put(null, newer[at]!)
  const all = [...pairs.values()]
  const isChanged = ({ older, newer }: Pair): boolean =>
    older !== null && newer !== null && Object.keys(older).some(name => differs(older[name], newer[name]))
  return {
    rows: [...pairs.keys()],
    mark(row, column) {
      const { older = null, newer = null } = pairs.get(row) ?? {}
      if (!older) return newer ? { kind: 'added', words: words.added } : null
      if (!newer) return { kind: 'removed', words: words.removed }
      return differs(older[column], newer[column]) ? { kind: 'changed', words: words.changed(newer[column]) } : null
    },
    added: all.filter(({ older }) => older === null).length,
    removed: all.filter(({ newer }) => newer === null).length,
    changed: all.filter(isChanged).length,
  }
}

const differs = (one: Cell | undefined, other: Cell | undefined): boolean => JSON.stringify(one ?? null) !== JSON.stringify(other ?? null)
