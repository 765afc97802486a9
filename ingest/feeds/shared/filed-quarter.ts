import type { FlatTable } from '../../formats/index.ts'

/** TPEx uses English headings in some tables. */
const CODE = ['公司代號', 'SecuritiesCompanyCode']

export const COMPANY = {
  ticker: CODE,
  period_end: { from: ['年度', 'Year'], and: ['季別', 'Season'], form: 'quarter' },
  name: ['公司名稱', 'CompanyName'],
} as const satisfies FlatTable['columns']

/** A table without companies has one row of empty cells. */
export const NEWEST_QUARTER = { rows: { from: CODE, is: /./ } } as const satisfies Pick<FlatTable, 'rows'>

/** Reasons for an empty table that mean that no company files this form. */
export const NO_COMPANIES = /^(\[\]|a heading without rows)$/
