import { fromParts } from '../../../src/engine/index.ts'
import type { Parent } from '../write/parent.ts'
import type { Workspace } from '../write/workspace.ts'
import type { TradingCalendar } from './batch.ts'

export interface NamedDay {
  readonly open: boolean
  readonly reason: string | null
}

export interface CalendarDays {
  /** Keyed by market and day, for example `TWSE 2023-01-30`. */
  readonly named: ReadonlyMap<string, NamedDay>
  /** Both markets together. A day is open if at least one market traded. */
  readonly days: TradingCalendar
}

const NOTHING: CalendarDays = { named: new Map(), days: { closed: new Set(), open: new Set() } }

/** Reads a calendar release. Cached, because a publication needs the days several times. */
export async function calendarDays({ session, parsed }: Workspace, { manifest, pathOf }: Parent): Promise<CalendarDays> {
  if (manifest.parts.length === 0) return NOTHING
  const name = `days of ${manifest.release} ${manifest.statistics.spans}`
  const cached = parsed.get(name) as CalendarDays | undefined
  if (cached) return cached
  // A calendar of an earlier version may lack columns. Days with the same values are grouped into
  // one row, because converting 15,000 rows takes longer than reading them.
  const columns = 'SELECT NULL::VARCHAR AS market, NULL::DATE AS date, NULL::BOOLEAN AS is_open, NULL::VARCHAR AS reason WHERE false'
  const rows = await session.rows(
    `SELECT market, is_open, reason, string_agg(date::VARCHAR, ' ' ORDER BY date) AS dates
     FROM (${columns} UNION ALL BY NAME FROM ${fromParts(manifest.parts.map(pathOf))}) GROUP BY ALL`,
  )
  const named = new Map(
    rows.flatMap(({ market, is_open, reason, dates }) => {
      const day: NamedDay = { open: is_open === true, reason: reason as string | null }
      return String(dates)
        .split(' ')
        .map(date => [`${market} ${date}`, day] as const)
    }),
  )
  const isOpen = new Map<string, boolean>()
  for (const [name, { open }] of named) isOpen.set(name.slice(-10), open || isOpen.get(name.slice(-10)) === true)
  const days = (open: boolean): ReadonlySet<string> => new Set([...isOpen].flatMap(([day, is]) => (is === open ? [day] : [])))
  const found = { named, days: { closed: days(false), open: days(true) } }
  parsed.set(name, found, named.size * 50)
  return found
}
