import type { Column } from '../../catalog/index.ts'

export const ENVELOPE_KEY = 'twmd'

export const describedColumn = ({ type, unit, doc, docZh, zh }: Column): Readonly<Record<string, string>> => ({
  type,
  ...(unit === undefined ? {} : { unit }),
  label_zh: zh,
  description: doc,
  description_zh: docZh,
})
