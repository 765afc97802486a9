import {
  bodyRefused,
  csvRecords,
  dayOf,
  dayOrNull,
  type Feed,
  type Parsed,
  parseBy,
  requireColumns,
  textCell,
  tickerCell,
} from '../formats/index.ts'
import { type Flag, flagRows } from './shared/risk-flags.ts'

const COLUMNS = ['stock_id', 'warning_type', 'announced_date', 'effective_from', 'effective_to', 'reason', 'source_url'] as const

const TYPES: Readonly<Record<string, Flag['type']>> = {
  attention: 'attention',
  disposition: 'disposition',
  method_changed: 'altered_trading',
  default_settlement: 'default_settlement',
  suspension: 'suspension',
  managed_stock: 'managed_stock',
  full_cash: 'altered_trading',
}

/** Lists without dates. The archive uses the day of the download instead. */
const UNDATED = /TWT85U|tpex_cmode/

function readArchive(text: string): Parsed {
  const records = csvRecords(text)
  requireColumns(records, COLUMNS, { en: 'an archive of warnings', zh: '警示紀錄彙編' })
  const flags = records.rows.map(row => {
    const cell = (name: (typeof COLUMNS)[number]): string => textCell(row, name)
    const symbol = tickerCell(cell('stock_id')).toUpperCase()
    const announced = dayOf(cell('announced_date'))
    const kind = TYPES[cell('warning_type')]
    if (announced === undefined || kind === undefined) {
      const [column, value] = kind === undefined ? ['warning_type', cell('warning_type')] : ['announced_date', cell('announced_date')]
      throw bodyRefused(
        'unknown_value',
        {
          en: `${symbol}: ${column} is "${value}", which this feed does not support. Check the file against its source.`,
          zh: `${symbol}：無法辨識 ${column} 的值「${value}」；請與來源核對檔案。`,
        },
        { column, said: value },
      )
    }
    const reason = cell('reason')
    // The archive stores some suspensions as other kinds of flags.
    const type = /停止交易|停止買賣/.test(reason) ? 'suspension' : kind
    const url = cell('source_url')
    return {
      symbol,
      announced,
      type,
      reason,
      from: dayOrNull(cell('effective_from'), 'effective_from'),
      to: dayOrNull(cell('effective_to'), 'effective_to'),
      url,
    }
  })
  if (flags.length === 0) return { kind: 'empty', date: null, reason: 'a heading without rows' }
  const lists = Map.groupBy(flags, ({ url }) => url)
  const rows = [...lists].flatMap(([url, some]) => {
    const authority = /tpex\.org\.tw/.test(url) ? 'TPEX' : 'TWSE'
    const list = { feed: 'risk-archive', called: { en: 'an archive of warnings', zh: '警示紀錄彙編' }, authority } as const
    if (!UNDATED.test(url)) return flagRows(list, some, undefined)
    return [...Map.groupBy(some, ({ announced }) => announced)].flatMap(([day, taken]) =>
      flagRows(
        list,
        taken.map(flag => ({ ...flag, announced: null })),
        day,
      ),
    )
  })
  return { kind: 'rows', rows: { 'company-risk-events': joined(rows) } }
}

/** Merges rows with the same security, day and kind, and joins their descriptions. */
function joined(rows: ReturnType<typeof flagRows>): ReturnType<typeof flagRows> {
  const same = Map.groupBy(rows, ({ symbol, event_date, risk_type }) => `${symbol} ${event_date} ${risk_type}`)
  return [...same.values()].map(those => ({
    ...those[0]!,
    description: [...new Set(those.map(({ description }) => description))].join('；'),
  }))
}

const feed: Feed = {
  name: 'risk-archive',
  title: 'Archive of warnings of both markets, one row per warning with the URL of its list: CSV',
  datasets: ['company-risk-events'],
  url: 'https://openapi.twse.com.tw/',
  parse: parseBy({ csv: readArchive }),
}

export default feed
