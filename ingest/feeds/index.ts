/** What each exchange publishes, one file a feed. */
import { readdir } from 'node:fs/promises'
import type { Feed } from '../formats/index.ts'

export { brokerNameKey } from './parts/broker-name.ts'

/**
 * Every feed by its name. A file put into `feeds/` is a feed; a folder there is not.
 *
 * @throws Error when a file's name is not its feed's name, or a file exports no feed
 */
export async function loadFeeds(dir: URL = new URL('./', import.meta.url)): Promise<ReadonlyMap<string, Feed>> {
  const files = (await readdir(dir)).filter(name => name.endsWith('.ts') && name !== 'index.ts').sort()
  const feeds = await Promise.all(
    files.map(async file => {
      const { default: feed } = (await import(new URL(file, dir).href)) as { default?: Feed }
      if (feed?.name !== file.slice(0, -'.ts'.length)) throw new Error(`${file} must export by default the feed whose name is its own`)
      return feed
    }),
  )
  return new Map(feeds.map(feed => [feed.name, feed]))
}
