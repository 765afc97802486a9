import { fromParts } from '../src/query/sql.ts'
import { readCaptures } from './captures.ts'
import { loadFeeds } from './feeds.ts'
import type { Desk } from './publish/desk.ts'
import { openParent } from './publish/parent.ts'

/** Days without trading that the calendar's rules cannot know: those the calendar dataset names, and those an exchange answered with nothing. */
export async function closedDaysOf(desk: Desk): Promise<ReadonlySet<string>> {
  const feeds = await loadFeeds()
  // An empty list of firms or statements says nothing about trading.
  const empty = readCaptures(desk.captures).filter(
    ({ feed, outcome, date }) => outcome === 'empty' && date !== null && feeds.get(feed)?.daily !== undefined,
  )
  return new Set([...empty.map(({ date }) => date!), ...(await calendarClosings(desk))])
}

/** Days the calendar dataset names as closed, for either market. */
export async function calendarClosings(desk: Desk): Promise<readonly string[]> {
  const calendar = await openParent(desk.releases, desk.catalog.get('trading-calendar')!)
  if (!calendar || calendar.manifest.parts.length === 0) return []
  const rows = await desk.session.rows(
    `SELECT DISTINCT date::VARCHAR AS day FROM ${fromParts(calendar.manifest.parts.map(calendar.pathOf))} WHERE NOT is_open`,
  )
  return rows.map(row => String(row['day']))
}
