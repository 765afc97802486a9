import { signal } from '@preact/signals'

export interface SavedQuery {
  readonly name: string
  readonly sql: string
}

const KEY = 'sql-queries'
const MOST = 50

function stored(): readonly SavedQuery[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(list) ? list.filter(one => typeof one?.name === 'string' && typeof one.sql === 'string') : []
  } catch {
    return []
  }
}

/** Saved queries, newest first. They are stored only in this browser. */
export const savedQueries = signal<readonly SavedQuery[]>(stored())

function store(list: readonly SavedQuery[]): void {
  savedQueries.value = list.slice(0, MOST)
  try {
    localStorage.setItem(KEY, JSON.stringify(savedQueries.value))
  } catch {
    // Storage may be full or forbidden. The list is then lost when the page closes.
  }
}

/** Replaces a query with the same name. */
export const saveQuery = (query: SavedQuery): void => store([query, ...savedQueries.value.filter(({ name }) => name !== query.name)])

export const removeQuery = (name: string): void => store(savedQueries.value.filter(one => one.name !== name))
