import type { SearchHit } from '../../clients/typescript/src/index.ts'
import type { Words } from '../parts/language.ts'

/** A hit as far as pages show it and browsers remember it. */
export type Hit = Pick<SearchHit, 'type' | 'id' | 'title' | 'subtitle'>

/** What each kind of hit is called. */
export const KIND: Readonly<Record<Hit['type'], Words>> = {
  symbol: { en: 'Security', zh: '證券' },
  index: { en: 'Index', zh: '指數' },
  theme: { en: 'Theme', zh: '題材' },
  dataset: { en: 'Dataset', zh: '資料集' },
  field: { en: 'Field', zh: '欄位' },
  broker: { en: 'Broker', zh: '券商' },
  branch: { en: 'Branch', zh: '分點' },
}

const slugOf = (id: string): string => id.replaceAll('_', '-')

/** The page that shows a hit, without its language. */
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

/** What was gone to from the search box lately, newest first; none where storage is forbidden. */
export function recentHits(): readonly Hit[] {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '[]') as readonly Hit[]
  } catch {
    return []
  }
}

/** Notes a hit that was gone to. */
export function remember({ type, id, title, subtitle }: Hit): void {
  const others = recentHits().filter(hit => hit.type !== type || hit.id !== id)
  try {
    localStorage.setItem(KEY, JSON.stringify([{ type, id, title, subtitle }, ...others].slice(0, MOST)))
  } catch {
    // Storage may be full or forbidden: nothing is remembered.
  }
}
