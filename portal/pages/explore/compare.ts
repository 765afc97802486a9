import type { Cell, Row } from '../../api/client.ts'
import type { Mark } from '../../parts/rows-table.tsx'

/** Two answers to one query, merged into one list of rows. */
export interface Compared {
  /**
   * Rows of both answers, in order. A row that is in both answers is shown in the older version.
   */
  readonly rows: readonly Row[]
  /** Returns how a cell changed. Null if the cell is unchanged. */
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
 * Compares rows of two releases. Rows are matched by the key columns.
 *
 * @param words texts for changed cells and rows. `now` is the current value
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
  // Both answers are in the same order. Rows of only one answer come before the next common row.
  let next = 0
  const untilKnown = () => {
    for (; next < newer.length && !before.has(nameOf(newer[next]!)); next++) put(null, newer[next]!)
  }
  for (const row of older) {
    const now = after.get(nameOf(row)) ?? null
    if (now) {
      untilKnown()
      next++
    }
    put(row, now)
  }
  for (; next < newer.length; next++) if (!before.has(nameOf(newer[next]!))) put(null, newer[next]!)
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
