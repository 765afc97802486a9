import type { FlatTable } from '../../formats/index.ts'

/** Headings of the company's code. TPEx uses English headings in some tables. */
const CODE = ['公司代號', 'SecuritiesCompanyCode']

/** Declares the columns for company and quarter in tables of filed statements. */
export const COMPANY = {
  ticker: CODE,
  period_end: { from: ['年度', 'Year'], and: ['季別', 'Season'], form: 'quarter' },
  name: ['公司名稱', 'CompanyName'],
} as const satisfies FlatTable['columns']

/** Selects rows with a company code. A table without companies has one row of empty cells. */
export const NEWEST_QUARTER = { rows: { from: CODE, is: /./ } } as const satisfies Pick<FlatTable, 'rows'>

/**
 * Matches the reason why a table is empty, if the reason means that no company of the market files
 * this form.
 */
export const NO_COMPANIES = /^(\[\]|a heading without rows)$/
