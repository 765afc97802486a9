import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Catalog, type Dataset, loadCatalog } from '../../catalog/index.ts'
import { nearest, type Words } from '../../src/core/index.ts'
import { sha256OfText } from '../../src/releases/index.ts'
import { loadFeeds } from '../feeds/index.ts'
import type { Feed } from '../formats/index.ts'
import { readingCode } from '../intake/index.ts'
import { type Mapping, mappingBeside } from '../mappings/index.ts'
import { isForbidden } from './look.ts'

export interface Place {
  readonly name: string
  readonly holds:
    | {
        readonly kind: 'dataset'
        readonly dataset: Dataset
        /** Missing if files have the dataset's own columns. */
        readonly mapping?: Mapping | undefined
      }
    | { readonly kind: 'feed'; readonly feed: Feed; readonly datasets: readonly Dataset[] }
}

/**
 * Returns the version of the mapping and of the reading code. A new version reads files again.
 * Undefined if files have the dataset's own columns.
 */
export function readBy({ holds }: Place): string | undefined {
  if (holds.kind === 'feed') return readingCode()
  return holds.mapping && `${sha256OfText(JSON.stringify(holds.mapping)).slice(0, 12)} ${readingCode()}`
}

const CALENDAR = 'trading-calendar'

/**
 * Returns all inbox folders, keyed by name. The calendar comes first, because files of other
 * folders are checked against it.
 */
export async function inboxPlaces(): Promise<ReadonlyMap<string, Place>> {
  const catalog: Catalog = await loadCatalog()
  const datasets = [...catalog.values()].sort((a, b) => Number(b.slug === CALENDAR) - Number(a.slug === CALENDAR))
  const places: readonly Place[] = [
    ...datasets.map(dataset => ({ name: dataset.slug, holds: { kind: 'dataset' as const, dataset } })),
    ...[...(await loadFeeds()).values()].map(feed => ({
      name: `feeds/${feed.name}`,
      holds: { kind: 'feed' as const, feed, datasets: feed.datasets.map(slug => catalog.get(slug)!) },
    })),
  ]
  return new Map(places.map(place => [place.name, place]))
}

/** Creates the folders. The next scan reports denied permissions. */
export function makePlaces(inbox: string, places: ReadonlyMap<string, Place>): void {
  for (const name of places.keys()) {
    try {
      mkdirSync(join(inbox, name), { recursive: true })
    } catch (error) {
      if (!isForbidden(error)) throw error
    }
  }
}

/**
 * Returns the place with the current mapping of its folder.
 *
 * @throws Error that describes an invalid mapping
 */
export function mapped(dataDir: string, inbox: string, { name, holds }: Place): Place {
  if (holds.kind === 'feed') return { name, holds }
  return { name, holds: { ...holds, mapping: mappingBeside(join(inbox, name), holds.dataset, dataDir) } }
}

export function unknownPlace(name: string, places: ReadonlyMap<string, Place>): Words {
  if (name === '' || name === 'feeds') return NO_PLACE
  const guess = nearest(name, [...places.keys()])
  const [kind, called] = name.startsWith('feeds/') ? [FEED, name.slice('feeds/'.length)] : [DATASET, name]
  return {
    en: `There is no ${kind.en} named ${called}${guess ? `; did you mean ${guess}?` : '.'} Rename the folder and its files are picked up.`,
    zh: `沒有名為 ${called} 的${kind.zh}${guess ? `；您是指 ${guess} 嗎？` : '。'}更改資料夾名稱後，即會處理其中的檔案。`,
  }
}

const NO_PLACE: Words = {
  en: 'The file is not in the folder of a dataset or feed. Move it into the right one.',
  zh: '檔案不在資料集或資料來源的資料夾內；請移至所屬的資料夾。',
}
const FEED: Words = { en: 'feed', zh: '資料來源' }
const DATASET: Words = { en: 'dataset', zh: '資料集' }
