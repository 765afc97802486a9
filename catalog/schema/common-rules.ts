import type { RowRule, Sum } from './rule.ts'

export const CONTRACT_RULES = [
  {
    name: 'known_session',
    column: 'session',
    values: ['regular', 'after_hours'],
    doc: 'The session is regular or after_hours.',
    docZh: '交易時段為 regular 或 after_hours。',
  },
  {
    name: 'counts_not_negative',
    column: ['volume', 'open_interest'],
    min: 0,
    doc: 'Volume and open interest are not negative.',
    docZh: '成交量與未沖銷契約數不為負數。',
  },
  {
    name: 'high_is_highest',
    holds: 'high >= greatest(open, low, close)',
    doc: 'The open, low and close are not above the high.',
    docZh: '各項價格均不高於最高價。',
  },
  {
    name: 'low_is_lowest',
    holds: 'low <= least(open, high, close)',
    doc: 'The open, high and close are not below the low.',
    docZh: '各項價格均不低於最低價。',
  },
] as const satisfies readonly RowRule[]

export const KNOWN_MARKET = {
  name: 'known_market',
  column: 'market',
  values: ['TWSE', 'TPEX'],
  doc: 'The market is TWSE or TPEX.',
  docZh: '市場為 TWSE 或 TPEX。',
} as const satisfies RowRule

export const END_OF_A_QUARTER = {
  name: 'end_of_a_quarter',
  holds: 'period_end = last_day(period_end) AND month(period_end) % 3 = 0',
  doc: 'The date is the last day of a quarter.',
  docZh: '日期為季末日。',
} as const satisfies RowRule

/** Requires `net` = `plus` - `minus`. */
export const netOf = <C extends string>(net: C, plus: C, minus: C): Sum<C> => ({
  name: `${net}_adds_up`,
  column: net,
  sum: [plus],
  less: [minus],
  doc: `The value of ${net} equals ${plus} minus ${minus}.`,
  docZh: `${net} 為 ${plus} 減 ${minus}。`,
})

/** Like `netOf`, for values rounded to TWD 1,000. */
export const roundedNetOf = <C extends string>(net: C, plus: C, minus: C): Sum<C> => ({
  ...netOf(net, plus, minus),
  tolerance: 1_000,
  doc: `The value of ${net} equals ${plus} minus ${minus}. Differences from rounding to TWD 1,000 are accepted.`,
  docZh: `${net} 為 ${plus} 減 ${minus}；三者各自四捨五入至千元。`,
})
