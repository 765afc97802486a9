export interface HomepageIndex {
  readonly code: string
  readonly name: string
  /** Full name in the exchange's list of indices. */
  readonly nameZh: string
  /** Codes and names of the index in other sources. */
  readonly aliases: readonly string[]
}

/** Indices of `/v2/homepage/market-indices`, in this order. */
export const HOMEPAGE_INDICES: readonly HomepageIndex[] = [
  {
    code: 'IX0001',
    name: 'TAIEX',
    nameZh: '發行量加權股價指數',
    aliases: ['t00', 'TAIEX', '加權指數', '加權股價指數', '臺灣加權股價指數', '台灣加權股價指數'],
  },
  {
    code: 'IX0027',
    name: 'Electronics',
    nameZh: '電子工業類指數',
    aliases: ['電子類指數', '電子工業類', '電子類', '電子'],
  },
  {
    code: 'IX0039',
    name: 'Finance and Insurance',
    nameZh: '金融保險類指數',
    aliases: ['金融類指數', '金融保險類', '金融保險', '金融類', '金融'],
  },
]

/** Dataset with the closing values of these indices. */
export const HOMEPAGE_DATASET = 'market-indices'
