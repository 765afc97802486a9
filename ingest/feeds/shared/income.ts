import type { Row } from '../../../catalog/index.ts'
import { bodyRefused, decimalCell, tickerCell, tidyText } from '../../formats/index.ts'

export interface IncomeForm {
  readonly schema: string
  readonly marks: readonly string[]
  readonly revenue?: readonly string[]
  readonly gross?: readonly string[]
  readonly operating?: readonly string[]
}

const OPERATING = ['營業利益(損失)', '營業利益']

/**
 * Statement forms. ci: general, ins: insurance, bd: securities, fh: financial holding, basi: bank,
 * mim: other. The first form whose headings occur is used. Banks do not file a single revenue
 * line.
 */
const FORMS: readonly IncomeForm[] = [
  { schema: 'ci', marks: ['營業收入', '營業毛利(毛損)淨額'], revenue: ['營業收入'], gross: ['營業毛利(毛損)淨額'], operating: OPERATING },
  { schema: 'ins', marks: ['營業收入', '營業成本', '營業費用'], revenue: ['營業收入'], operating: OPERATING },
  { schema: 'bd', marks: ['收益', '支出及費用'], revenue: ['收益'], operating: OPERATING },
  { schema: 'fh', marks: ['利息淨收益', '淨收益'], revenue: ['淨收益'] },
  { schema: 'basi', marks: ['利息淨收益', '利息以外淨損益'] },
  { schema: 'mim', marks: ['收入', '支出'], revenue: ['收入'] },
]

/** Accepted headings of lines that all forms have. Some tables use English headings. */
export const COMMON = {
  ticker: ['公司代號', 'SecuritiesCompanyCode'],
  name: ['公司名稱', 'CompanyName'],
  parentIncome: ['淨利(損)歸屬於母公司業主', '淨利(淨損)歸屬於母公司業主'],
  periodIncome: ['本期淨利(淨損)', '本期稅後淨利(淨損)'],
  eps: ['基本每股盈餘(元)'],
} as const

/** @throws Refusal unknown_form if no form matches or a line of the form is missing */
export function requireForm(headings: readonly string[]): IncomeForm {
  const form = FORMS.find(({ marks }) => marks.every(mark => headings.includes(mark)))
  const lines = [...Object.values(COMMON), form?.revenue, form?.gross, form?.operating].filter(wordings => wordings !== undefined)
  if (form === undefined || lines.some(wordings => !wordings.some(name => headings.includes(name)))) {
    throw bodyRefused(
      'unknown_form',
      {
        en: 'A table does not match any of the six known formats of income statements. Its headings may have changed: compare it with its source.',
        zh: '有一張表不屬於六種已知的損益表格式，標題可能已變更；請與來源核對檔案。',
      },
      { headings },
    )
  }
  return form
}

export type LineCell = (wordings: readonly string[]) => unknown

/**
 * Amounts are in thousands of TWD, as filed.
 *
 * @throws Refusal unreadable_ticker or unreadable_number
 */
export function statementRow(form: IncomeForm, market: string, quarter: Quarter, cell: LineCell): Row {
  const ticker = tickerCell(cell(COMMON.ticker))
  const amountOf = (wordings: readonly string[] = []) => decimalCell(cell(wordings), wordings[0] ?? '', ticker)
  return {
    ticker,
    market,
    name: tidyText(cell(COMMON.name)),
    ...quarterColumns(quarter),
    industry_schema: form.schema,
    revenue: amountOf(form.revenue),
    gross_profit: amountOf(form.gross),
    operating_income: amountOf(form.operating),
    net_income: amountOf(COMMON.parentIncome) ?? amountOf(COMMON.periodIncome),
    eps: amountOf(COMMON.eps),
  }
}

export const INCOME_SCHEMAS: readonly string[] = FORMS.map(({ schema }) => schema)

/** A fiscal quarter. Income statements cover the year up to the end of the quarter. */
export interface Quarter {
  readonly year: number
  readonly season: number
}

const ENDS = ['03-31', '06-30', '09-30', '12-31'] as const

/** Returns the last day of the quarter, `YYYY-MM-DD`. */
export const quarterEnd = ({ year, season }: Quarter): string => `${year}-${ENDS[season - 1] ?? ''}`

export const quarterColumns = (quarter: Quarter) => ({ fiscal_year: quarter.year, season: quarter.season, period_end: quarterEnd(quarter) })

export const quarterOf = (day: string): Quarter => ({ year: Number(day.slice(0, 4)), season: Math.ceil(Number(day.slice(5, 7)) / 3) })

/**
 * Checks that the requested day is the last day of the quarter. Accepts every quarter if no day
 * was requested.
 *
 * @throws Refusal wrong_day
 */
export function requireQuarter(found: Quarter, requestedDay: string | undefined): void {
  const end = quarterEnd(found)
  if (requestedDay === undefined || requestedDay === end) return
  const period = `${found.year}-Q${found.season}`
  const { year, season } = quarterOf(requestedDay)
  const another = year !== found.year || season !== found.season
  const words = another
    ? {
        en: `The figures are for ${period}, not for the requested ${requestedDay}. Set the last day of the quarter with --date ${end}.`,
        zh: `資料期間為 ${period}，與指定的 ${requestedDay} 不符；請以 --date ${end} 指定該季最後一日。`,
      }
    : {
        en: `${requestedDay} is not the last day of a quarter. The figures end on another day: use --date ${end}.`,
        zh: `${requestedDay} 不是季末日；請以 --date ${end} 指定資料的季末日。`,
      }
  throw bodyRefused('wrong_day', words, { period, asked: requestedDay })
}
