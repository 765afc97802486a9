import type { Column } from '../../catalog/index.ts'

/** Metadata key of the envelope (the JSON answer without its rows). */
export const ENVELOPE_KEY = 'twmd'

/** Returns the metadata of a column, for formats that have metadata per column. */
export const describedColumn = ({ type, unit, doc, docZh, zh }: Column): Readonly<Record<string, string>> => ({
  type,
  ...(unit === undefined ? {} : { unit }),
  label_zh: zh,
  description: doc,
  description_zh: docZh,
})
