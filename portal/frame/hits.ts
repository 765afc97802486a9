import type { SearchHit } from '../../clients/typescript/src/index.ts'
import type { Words } from '../parts/language.ts'

/** The parts of a search hit that pages show and browsers store. */
export type Hit = Pick<SearchHit, 'type' | 'id' | 'title' | 'subtitle'>

/** Names of the kinds of hits. */
export const KIND: Readonly<Record<Hit['type'], Words>> = {
  symbol: { en: 'Security', zh: '證券' },
  index: { en: 'Index', zh: '指數' },
  theme: { en: 'Theme', zh: '主題' },
  dataset: { en: 'Dataset', zh: '資料集' },
  field: { en: 'Field', zh: '欄位' },
  broker: { en: 'Broker', zh: '券商' },
  branch: { en: 'Branch', zh: '分公司' },
}

const slugOf = (id: string): string => id.replaceAll('_', '-')

/** Path of the page that shows a hit, without its language. */
export function pageOf({ type, id }: Hit): string {
  const name = encodeURIComponent(id)
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

/** Recent choices in the search box, newest first; empty if storage is forbidden. */
export function recentHits(): readonly Hit[] {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '[]') as readonly Hit[]
  } catch {
    return []
  }
}

/** Stores a chosen hit. */
export function remember({ type, id, title, subtitle }: Hit): void {
  const others = recentHits().filter(hit => hit.type !== type || hit.id !== id)
  try {
    localStorage.setItem(KEY, JSON.stringify([{ type, id, title, subtitle }, ...others].slice(0, MOST)))
  } catch {
    // Storage may be full or forbidden: nothing is stored.
  }
}
