/** One file per feed: a publication of an exchange, and its parser. */
import { readdir } from 'node:fs/promises'
import { loadCatalog } from '../../catalog/index.ts'
import { type Feed, type FlatFeed, flatFeed } from '../formats/index.ts'

export { brokerNameKey } from './shared/broker-name.ts'

/**
 * Loads all feeds, keyed by name. Each file in the folder `feeds/` is a feed or a flat table.
 * Subfolders are ignored.
 *
 * @throws Error if a file exports no feed, has another name than its feed, or does not match its
 * dataset
 */
export async function loadFeeds(dir: URL = new URL('./', import.meta.url)): Promise<ReadonlyMap<string, Feed>> {
  const catalog = await loadCatalog()
  const files = (await readdir(dir)).filter(name => name.endsWith('.ts') && name !== 'index.ts').sort()
  const feeds = await Promise.all(
    files.map(async file => {
      const { default: feed } = await importFrom(dir, file)
      if (feed?.name !== file.slice(0, -'.ts'.length)) throw new Error(`${file} must have a feed with the same name as its default export`)
      return 'parse' in feed ? feed : flatFeed(feed, catalog)
    }),
  )
  return new Map(feeds.map(feed => [feed.name, feed]))
}

async function importFrom(dir: URL, file: string): Promise<{ readonly default?: Feed | FlatFeed }> {
  try {
    return (await import(new URL(file, dir).href)) as { default?: Feed | FlatFeed }
  } catch (error) {
    throw new Error(`${file} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`)
  }
}
