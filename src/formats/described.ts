import type { Column } from '../../catalog/index.ts'

/** Metadata key of the envelope, which is JSON with an empty list instead of the rows. */
export const ENVELOPE_KEY = 'twmd'

/** Describes a column, for formats with metadata per column. */
export const describedColumn = ({ type, unit, doc, docZh, zh }: Column): Readonly<Record<string, string>> => ({
  type,
  ...(unit === undefined ? {} : { unit }),
  label_zh: zh,
  description: doc,
  description_zh: docZh,
})
