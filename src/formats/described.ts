import type { Column } from '../../catalog/index.ts'

/** Under this key the metadata of a file hold the envelope as JSON, with no rows where it has them otherwise. */
export const ENVELOPE_KEY = 'twmd'

/** What a column means, as text by name, for formats that keep that beside the values. */
export const describedColumn = ({ type, unit, doc, docZh, zh }: Column): Readonly<Record<string, string>> => ({
  type,
  ...(unit === undefined ? {} : { unit }),
  label_zh: zh,
  description: doc,
  description_zh: docZh,
})
