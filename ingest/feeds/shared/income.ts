import { bodyRefused } from '../../formats/index.ts'

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

/** A fiscal quarter; income statements cover the year up to its end. */
export interface Quarter {
  readonly year: number
  readonly season: number
}

const ENDS = ['03-31', '06-30', '09-30', '12-31'] as const

/** Last day of the quarter, `YYYY-MM-DD`. */
export const quarterEnd = ({ year, season }: Quarter): string => `${year}-${ENDS[season - 1] ?? ''}`

/** The quarter as the columns of income-statements. */
export const quarterColumns = (quarter: Quarter) => ({ fiscal_year: quarter.year, season: quarter.season, period_end: quarterEnd(quarter) })

/** Quarter a day lies in. */
export const quarterOf = (day: string): Quarter => ({ year: Number(day.slice(0, 4)), season: Math.ceil(Number(day.slice(5, 7)) / 3) })

/**
 * Proof that the requested day is the last one of the quarter.
 *
 * @throws Refusal wrong_day when it is another quarter's, or none's
 */
export function requireQuarter(found: Quarter, requestedDay: string | undefined): void {
  const end = quarterEnd(found)
  if (requestedDay === undefined || requestedDay === end) return
  const period = `${found.year}-Q${found.season}`
  const { year, season } = quarterOf(requestedDay)
  const another = year !== found.year || season !== found.season
  const message = another
    ? `The figures are of ${period} and were given for ${requestedDay}; name the last day of their quarter with --date ${end}.`
    : `${requestedDay} is not the last day of a quarter; name the day the figures run to with --date ${end}.`
  throw bodyRefused('wrong_day', message, { period, asked: requestedDay })
}
