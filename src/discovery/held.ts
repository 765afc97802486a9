import type { DatasetState } from '../releases/index.ts'

/** What a dataset holds, measured at publication: nothing while it was never published, unknown (null) while no release passes its check. */
export function heldOf({ release, lost }: DatasetState) {
  const none = lost ? null : 0
  const { rows, keys, first_date, last_date } = release?.manifest.statistics ?? {
    rows: none,
    keys: none,
    first_date: null,
    last_date: null,
  }
  return { row_count: rows, symbols_count: keys, first_date, last_date }
}
