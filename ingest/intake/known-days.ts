import { fromParts, quote } from '../../src/engine/index.ts'
import { loadFeeds } from '../feeds/index.ts'
import type { Feed } from '../formats/index.ts'
import { calendarDays, createServedReleases, EMPTY_CALENDAR, type TradingCalendar, type Workspace } from '../publish/index.ts'

/**
 * Returns the known trading days. The calendar dataset has priority over days for which an
 * exchange sent an empty file.
 */
export async function calendarOf(workspace: Workspace): Promise<TradingCalendar> {
  const { closed, open } = await calendarRows(workspace)
  // In the usual case, the feeds are not loaded, because loading is slow.
  if (!workspace.journal.hasEmptyDays()) return { closed, open }
  const feeds = await loadFeeds()
  // An empty list of firms or statements does not mean a closed market, so only daily feeds count.
  const daily = [...feeds.values()].filter(feed => feed.daily !== undefined)
  const empty = daily.flatMap(({ name }) => [...workspace.journal.emptyDays(name)]).filter(day => !open.has(day))
  return { closed: new Set([...closed, ...empty]), open }
}

/** Returns the days of the calendar dataset. A day is open if at least one market traded. */
export async function calendarRows(workspace: Workspace): Promise<TradingCalendar> {
  const calendar = await createServedReleases(workspace).of('trading-calendar')
  return calendar ? (await calendarDays(workspace, calendar)).days : EMPTY_CALENDAR
}

/**
 * Returns the days with real rows in the feed's first dataset. If each file has one market, only
 * rows of this market count.
 */
export async function publishedDays(workspace: Workspace, { datasets, daily, slice }: Feed): Promise<ReadonlySet<string>> {
  const dataset = workspace.catalog.get(datasets[0]!)!
  const served = await createServedReleases(workspace).of(dataset.slug)
  if (!served || served.manifest.synthetic || served.manifest.parts.length === 0 || dataset.date === undefined) return new Set()
  if (daily !== undefined) {
    const first = slice ?? (dataset.publish.slice?.includes('market') ? daily : undefined)
    const names = Object.keys(served.spans.slices).filter(name => first === undefined || name.startsWith(`${first} `))
    return new Set(names.map(name => name.slice(-10)))
  }
  const parts = fromParts(served.manifest.parts.map(served.pathOf))
  const rows = await workspace.session.rows(`SELECT DISTINCT ${quote(dataset.date)}::VARCHAR AS day FROM ${parts}`)
  return new Set(rows.map(row => String(row['day'])))
}
