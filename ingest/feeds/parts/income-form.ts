/** A form of income statement: how its table is known and where its lines are. Several headings are wordings of one line. */
export interface IncomeForm {
  readonly schema: string
  /** Headings that only tables of this form have together, once the forms above it are ruled out. */
  readonly marks: readonly string[]
  readonly revenue?: readonly string[]
  readonly gross?: readonly string[]
  readonly operating?: readonly string[]
}

const OPERATING = ['營業利益(損失)', '營業利益']

/** ci general, ins insurance, bd securities, fh financial holding, basi bank, mim other. A bank files no single revenue line. */
const FORMS: readonly IncomeForm[] = [
  { schema: 'ci', marks: ['營業收入', '營業毛利(毛損)淨額'], revenue: ['營業收入'], gross: ['營業毛利(毛損)淨額'], operating: OPERATING },
  { schema: 'ins', marks: ['營業收入', '營業成本', '營業費用'], revenue: ['營業收入'], operating: OPERATING },
  { schema: 'bd', marks: ['收益', '支出及費用'], revenue: ['收益'], operating: OPERATING },
  { schema: 'fh', marks: ['利息淨收益', '淨收益'], revenue: ['淨收益'] },
  { schema: 'basi', marks: ['利息淨收益', '利息以外淨損益'] },
  { schema: 'mim', marks: ['收入', '支出'], revenue: ['收入'] },
]

/** Lines every form has. */
export const COMMON = {
  ticker: ['公司代號'],
  name: ['公司名稱'],
  parentIncome: ['淨利(損)歸屬於母公司業主', '淨利(淨損)歸屬於母公司業主'],
  periodIncome: ['本期淨利(淨損)', '本期稅後淨利(淨損)'],
  eps: ['基本每股盈餘(元)'],
} as const

/** The form of a table by its folded headings, undefined where it is none of the six. */
export const incomeFormOf = (headings: readonly string[]): IncomeForm | undefined =>
  FORMS.find(({ marks }) => marks.every(mark => headings.includes(mark)))

/** The six labels a derived file may use. */
export const INCOME_SCHEMAS: readonly string[] = FORMS.map(({ schema }) => schema)
