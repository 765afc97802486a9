import type { Column } from './column.ts'

/** The security of a row, as the exchanges print it. */
export const SECURITY = {
  ticker: {
    type: 'text',
    zh: '證券代號',
    doc: 'Exchange code of the security. Letters and leading zeros are preserved.',
    docZh: '交易所的證券代號，保留英文字母與前導零。',
  },
  market: {
    type: 'text',
    zh: '市場',
    doc: 'TWSE for listed securities, TPEX for over-the-counter securities.',
    docZh: '上市證券為 TWSE，上櫃證券為 TPEX。',
  },
} as const satisfies Readonly<Record<string, Column>>

/** The security of a row, and its trading day. */
export const SECURITY_ON_DAY = {
  ...SECURITY,
  trade_date: { type: 'date', zh: '交易日', doc: 'Trading day, in Taipei time.', docZh: '交易日（臺北時間）。' },
} as const satisfies Readonly<Record<string, Column>>
