/**
 * Approximate size of a company, rounded from general knowledge. The company did not report these
 * figures.
 */
export interface Company {
  /** Revenue per quarter in TWD. */
  readonly revenue: number
  /**
   * Shares of revenue. Gross and operating profit are null for financial companies, which report
   * neither.
   */
  readonly gross: number | null
  readonly operating: number | null
  readonly net: number
  readonly shares: number
  /** Mean price in TWD per share. */
  readonly price: number
}

/**
 * Quarterly revenue in billions of TWD; gross, operating and net margin in percent; shares in
 * millions; price. All are approximate.
 */
const SIZES: Readonly<Record<string, readonly [number, number | null, number | null, number, number, number]>> = {
  '1101': [37, 20, 10, 6, 7_500, 30],
  '1216': [165, 32, 6, 3.4, 5_680, 78],
  '1301': [48, 6, 1.5, 2, 6_370, 48],
  '1303': [67, 9, 3, 3.5, 7_930, 60],
  '1565': [1.1, 28, 17, 14, 50, 150],
  '1590': [8, 46, 30, 24, 200, 1_050],
  '2002': [88, 6, 2, 1.2, 15_730, 21],
  '2207': [70, 18, 9, 7.5, 557, 600],
  '2303': [57, 30, 20, 19, 12_500, 62],
  '2308': [115, 31, 12, 9.5, 2_600, 850],
  '2317': [1_700, 6.2, 2.9, 2.3, 13_900, 210],
  '2327': [32, 35, 21, 18, 2_060, 300],
  '2330': [850, 57, 47, 41, 25_930, 1_400],
  '2345': [45, 21, 14, 11.5, 560, 1_000],
  '2357': [165, 16, 6, 6, 743, 650],
  '2379': [30, 50, 13, 13, 513, 520],
  '2382': [430, 8, 4.2, 3.6, 3_860, 300],
  '2412': [58, 37, 22, 17, 7_757, 130],
  '2454': [140, 48, 18, 17.5, 1_600, 1_600],
  '2597': [5.5, 13, 9, 7, 185, 150],
  '2603': [100, 27, 20, 16, 2_165, 210],
  '2609': [45, 18, 12, 11, 3_490, 66],
  '2615': [35, 22, 17, 16, 2_800, 90],
  '2618': [54, 22, 14, 11, 5_400, 42],
  '2880': [15, null, null, 38, 13_640, 32],
  '2881': [40, null, null, 55, 13_700, 95],
  '2882': [70, null, null, 32, 14_670, 70],
  '2884': [18, null, null, 42, 16_000, 33],
  '2886': [19, null, null, 48, 14_800, 42],
  '2891': [48, null, null, 38, 19_600, 48],
  '2892': [18, null, null, 38, 14_100, 30],
  '2912': [85, 34, 4.6, 3.6, 1_040, 250],
  '3008': [14, 50, 38, 36, 133, 2_400],
  '3034': [26, 38, 21, 18, 608, 500],
  '3037': [31, 17, 8, 6.5, 1_525, 180],
  '3105': [4.4, 24, 8, 7, 424, 110],
  '3293': [4.6, 97, 54, 45, 282, 700],
  '3324': [5.5, 27, 17, 13, 92, 850],
  '3529': [0.95, 99, 55, 48, 75, 2_200],
  '3711': [150, 17, 8, 6, 4_340, 190],
  '4904': [26, 32, 15, 12, 3_600, 88],
  '4966': [4.1, 44, 17, 15, 80, 700],
  '5274': [2.1, 66, 49, 40, 38, 4_500],
  '5347': [11.5, 28, 18, 15, 1_860, 92],
  '5483': [20, 28, 18, 11, 641, 120],
  '5880': [15, null, null, 34, 15_600, 25],
  '5904': [6.2, 45, 15, 11.5, 105, 480],
  '6446': [3.5, 88, 32, 28, 366, 650],
  '6488': [16, 30, 18, 15, 478, 400],
  '6505': [165, 6, 3.5, 2.7, 9_526, 52],
  '6669': [180, 9, 6.8, 5.3, 186, 2_900],
  '8044': [9, 10, -1, -1, 143, 36],
  '8069': [8.5, 55, 30, 28, 1_149, 250],
  '8299': [15, 31, 12, 11, 205, 600],
  '9904': [64, 24, 5, 3.4, 2_947, 33],
  '9910': [21, 21, 9, 6.5, 988, 115],
}

/** Returns the size of a company. Undefined for funds and preferred shares. */
export function companyOf(code: string): Company | undefined {
  const size = SIZES[code]
  if (size === undefined) return undefined
  const [revenue, gross, operating, net, shares, price] = size
  const share = (percent: number | null): number | null => (percent === null ? null : percent / 100)
  return { revenue: revenue * 1e9, gross: share(gross), operating: share(operating), net: net / 100, shares: shares * 1e6, price }
}

/** Returns the mean market value in TWD. 0 for a security that is not a company. */
export function marketValue(code: string): number {
  const { shares, price } = companyOf(code) ?? { shares: 0, price: 0 }
  return shares * price
}

/** How strongly an industry's revenue follows the business cycle. */
const SWINGS: Readonly<Record<string, number>> = {
  通信網路業: 0.15,
  食品工業: 0.15,
  貿易百貨業: 0.15,
  居家生活: 0.2,
  金融保險業: 0.3,
  航運業: 0.9,
}
const USUAL_SWING = 0.5

export const swingOf = (industry: string | null): number => SWINGS[industry ?? ''] ?? USUAL_SWING
