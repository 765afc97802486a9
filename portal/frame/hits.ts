import type { SearchHit } from '../../clients/typescript/src/index.ts'
import { LANGUAGE, say, type Words } from '../parts/language.ts'
import { indexWords, industryWords, securityTypeWords } from '../parts/market-words.ts'
import type { Place } from './places.ts'

export type Hit = Pick<SearchHit, 'id' | 'title' | 'title_en' | 'title_zh' | 'subtitle'> & {
  readonly type: SearchHit['type'] | Place['type']
  readonly delisted_on?: string | null
}

export const hitOf = ({ type, path, words }: Place): Hit => ({
  type,
  id: path,
  title: words.en,
  title_en: words.en,
  title_zh: words.zh,
  subtitle: null,
})

/** Hits that an earlier version stored have only one name. */
export function titleOf({ type, title, title_en, title_zh }: Hit): string {
  if (type === 'index') return say(indexWords(title))
  return (LANGUAGE === 'en' ? title_en : title_zh) ?? title
}

/** Returns kind, type, industry and delisting in the page's language. */
export function subtitleOf(hit: Hit): string {
  const day = hit.delisted_on
  return day ? `${descriptionOf(hit)} · ${say({ en: `delisted ${day}`, zh: `${day} 終止上市（櫃）` })}` : descriptionOf(hit)
}

function descriptionOf({ type, id, subtitle }: Hit): string {
  const kind = say(KIND[type])
  if (type === 'dataset' || subtitle === null) return kind
  // The subtitle of a field consists of its name and its dataset. Only the dataset is shown.
  if (LANGUAGE === 'zh') return `${kind} · ${type === 'field' ? (subtitle.split(' · ').at(-1) ?? '') : subtitle}`
  if (type === 'field') return `${kind} · ${id.split('.')[0]!.replaceAll('_', ' ')}`
  if (type !== 'symbol') return kind
  return [kind, ...subtitle.split(' · ').map(part => industryWords(securityTypeWords(part).en).en)].join(' · ')
}

export const KIND: Readonly<Record<Hit['type'], Words>> = {
  page: { en: 'Page', zh: '頁面' },
  guide: { en: 'Guide', zh: '指南' },
  symbol: { en: 'Security', zh: '證券' },
  index: { en: 'Index', zh: '指數' },
  theme: { en: 'Theme', zh: '主題' },
  dataset: { en: 'Dataset', zh: '資料集' },
  field: { en: 'Field', zh: '欄位' },
  broker: { en: 'Broker', zh: '券商' },
  branch: { en: 'Branch', zh: '分公司' },
}

const slugOf = (id: string): string => id.replaceAll('_', '-')

/** Returns the path of the page about a hit, without the language. */
export function pageOf({ type, id }: Hit): string {
  const name = encodeURIComponent(id)
  if (type === 'page' || type === 'guide') return id
  if (type === 'symbol') return `/company/${name}`
  if (type === 'dataset') return `/datasets/${slugOf(id)}`
  if (type === 'field') return `/datasets/${slugOf(id.split('.')[0]!)}#column-${encodeURIComponent(id.split('.')[1] ?? '')}`
  if (type === 'index') return `/market/indices?index=${name}`
  if (type === 'theme') return `/explore/theme-taxonomy?theme=${name}`
  if (type === 'broker') return `/explore/broker-branch-reference?parent_broker_code=${name}`
  return `/explore/broker-branch-reference?branch_code=${name}`
}

const KEY = 'recent'
const MOST = 6

/** Returns the recently chosen hits, newest first. Empty if the browser permits no storage. */
export function recentHits(): readonly Hit[] {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '[]') as readonly Hit[]
  } catch {
    return []
  }
}

export function remember({ type, id, title, title_en, title_zh, subtitle, delisted_on = null }: Hit): void {
  const others = recentHits().filter(hit => hit.type !== type || hit.id !== id)
  try {
    localStorage.setItem(KEY, JSON.stringify([{ type, id, title, title_en, title_zh, subtitle, delisted_on }, ...others].slice(0, MOST)))
  } catch {
    // Storage may be full or forbidden.
  }
}
