import { lastSession } from './sessions.ts'
import { TICKERS, type Ticker } from './tickers.ts'

const SECTORS: Readonly<Record<string, string>> = {
  technology: '電子科技',
  materials: '原物料',
  industrials: '工業與運輸',
  consumer: '消費',
  finance: '金融',
  health: '生技醫療',
}

const INDUSTRIES: Readonly<Record<string, readonly [code: string, sector: string]>> = {
  水泥工業: ['01', 'materials'],
  食品工業: ['02', 'consumer'],
  塑膠工業: ['03', 'materials'],
  電機機械: ['05', 'industrials'],
  鋼鐵工業: ['10', 'materials'],
  汽車工業: ['12', 'consumer'],
  建材營造業: ['14', 'industrials'],
  航運業: ['15', 'industrials'],
  金融保險業: ['17', 'finance'],
  貿易百貨業: ['18', 'consumer'],
  生技醫療業: ['22', 'health'],
  油電燃氣業: ['23', 'materials'],
  半導體業: ['24', 'technology'],
  電腦及週邊設備業: ['25', 'technology'],
  光電業: ['26', 'technology'],
  通信網路業: ['27', 'technology'],
  電子零組件業: ['28', 'technology'],
  其他電子業: ['31', 'technology'],
  文化創意業: ['32', 'consumer'],
  數位雲端: ['36', 'technology'],
  運動休閒: ['37', 'consumer'],
  居家生活: ['38', 'consumer'],
}

export function themes(until: string) {
  const asOf = lastSession(until)
  return TICKERS.flatMap(ticker => {
    const entry = ticker.industry === null ? undefined : INDUSTRIES[ticker.industry]
    if (entry === undefined || ticker.industry === null) return []
    const [code, sector] = entry
    return [
      row(ticker, asOf, 'industry', `industry_${code}`, ticker.industry),
      row(ticker, asOf, 'sector', `sector_${sector}`, SECTORS[sector]!),
    ]
  })
}

function row({ code, market }: Ticker, asOf: string, taxonomy: 'industry' | 'sector', id: string, name: string) {
  return {
    symbol: code,
    theme_id: id,
    theme_name: name,
    taxonomy_type: taxonomy,
    market,
    classification_level: taxonomy === 'sector' ? 'level_1' : 'level_2',
    source_name: 'synthetic_sample',
    source_url: null,
    as_of_date: asOf,
    source_role: 'synthetic_sample',
    lineage: {
      synthetic: true,
      sources: ['synthetic_sample'],
      theme_policy: 'explicit_map_entries_only',
      mapping_version: '1',
      taxonomy_version: '1',
      subindustry_policy: 'not_assigned',
    },
    updated_at: `${asOf}T18:00:00+08:00`,
  }
}
