/** A text, and the number of the thing it belongs to. */
export interface Entry {
  readonly text: string
  readonly of: number
}

/** Characters of a beginning that have a list of their own; longer beginnings are looked for in the list of these. */
const LISTED = 3

/** Texts by how they begin. */
export function openBeginnings() {
  const lists = new Map<string, Entry[]>()
  return {
    add(entry: Entry): void {
      for (let length = 1; length <= Math.min(LISTED, entry.text.length); length++) {
        const list = lists.get(entry.text.slice(0, length))
        if (list) list.push(entry)
        else lists.set(entry.text.slice(0, length), [entry])
      }
    },
    /** Entries whose text begins so, or is so; none for an empty beginning. */
    startingWith(beginning: string): readonly Entry[] {
      const list = lists.get(beginning.slice(0, LISTED)) ?? []
      return beginning.length <= LISTED ? list : list.filter(({ text }) => text.startsWith(beginning))
    },
  }
}

export type Beginnings = ReturnType<typeof openBeginnings>
