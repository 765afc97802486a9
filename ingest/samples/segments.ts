import { earnings } from './earnings.ts'
import { random } from './random.ts'

/** Segments of a few companies. The names are plausible words, not what the companies report. */
const SEGMENTS: Readonly<Record<string, readonly string[]>> = {
  '1216': ['食品', '流通', '其他'],
  '1301': ['塑膠', '化學'],
  '2002': ['鋼鐵', '其他'],
  '2207': ['汽車銷售', '租賃'],
  '2303': ['晶圓代工', '其他'],
  '2308': ['電源', '自動化', '基礎設施'],
  '2317': ['消費電子', '雲端網路', '電腦終端'],
  '2330': ['晶圓', '其他'],
  '2357': ['品牌', '其他'],
  '2382': ['伺服器', '筆記型電腦', '其他'],
  '2412': ['行動', '固網', '企業客戶'],
  '2454': ['行動裝置', '智慧終端'],
  '2603': ['貨櫃運輸', '碼頭'],
  '2912': ['便利商店', '零售', '物流'],
  '3711': ['封裝', '測試', '電子代工'],
  '6488': ['矽晶圓', '其他'],
}

/** Each period's revenue and net income split over the company's segments; the last segment takes what is left, so they add up. */
export function segments(until: string) {
  return earnings(until).flatMap(({ ticker, fiscal_period, revenue, net_income, period_end, announcement_date }) => {
    const names = SEGMENTS[ticker] ?? []
    const revenues = split(revenue, names.length, `${ticker} ${fiscal_period} revenue`)
    const incomes = split(net_income, names.length, `${ticker} ${fiscal_period} income`)
    return names.map((segment, place) => ({
      ticker,
      fiscal_period,
      segment,
      revenue: revenues[place]!,
      net_income: incomes[place]!,
      period_end,
      announcement_date,
    }))
  })
}

/** A total in falling parts of whole thousands, largest first. */
function split(total: number, parts: number, seed: string): readonly number[] {
  const next = random(seed)
  let left = total
  return Array.from({ length: parts }, (_, place) => {
    const part = place === parts - 1 ? left : Math.round((left * (0.55 + 0.2 * next())) / 1_000) * 1_000
    left -= part
    return part
  })
}
