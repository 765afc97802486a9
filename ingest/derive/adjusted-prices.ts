import { literal } from '../../src/engine/index.ts'
import type { Part } from '../../src/releases/index.ts'
import {
  createServedReleases,
  createStaging,
  createView,
  type DatasetOutcome,
  isSession,
  loggedJoin,
  logJoin,
  type Parent,
  partsWithin,
  publish,
  readParts,
  type ServedReleases,
  stagedColumns,
  stageRows,
  type TradingCalendar,
  type Workspace,
} from '../publish/index.ts'
import { adjustmentsOf, type PriceEvent } from './adjustments.ts'

const [PRICES, FACTORS, QUOTES] = ['adjusted-prices', 'adjustment-factors', 'daily-prices'] as const

const [EVENTS, BEGIN] = ['events', 'ex-days'] as const

/**
 * Rules that this publication skips. The source rows passed these rules when they were published.
 */
const ACCEPTED = ['row_count_drift', 'closed_day', 'dates_backwards', 'future_date'] as const

/**
 * Publishes adjustment factors and adjusted quotes if they are outdated. Does nothing without
 * published events: unadjusted prices would look adjusted. An event changes earlier rows of the
 * security once quotes of the event's day or a later day exist. After a crash between the two
 * publications, the next run computes all rows.
 */
export async function publishAdjusted(workspace: Workspace, calendar: TradingCalendar): Promise<readonly DatasetOutcome[]> {
  const served = createServedReleases(workspace)
  const quotes = await served.of(QUOTES)
  if (!quotes || quotes.manifest.parts.length === 0) return []
  const events = await eventsUntil(workspace, served, quotes)
  if (events === undefined || events.count === 0) return []
  const factors = await publishFactors(workspace, calendar, { served, quotes, events })
  if (factors?.outcome.status === 'refused') return [factors]
  const prices = await publishPrices(workspace, calendar, {
    quotes,
    begin: events.begin,
    moved: factors?.outcome.status === 'published' ? factors.outcome.moved : undefined,
  })
  return [factors, prices].filter(outcome => outcome !== undefined)
}

interface Events {
  readonly select: string
  readonly count: number
  /**
   * First ex-day of each market, as JSON. Rows of earlier days contain this date, so all rows are
   * computed again when the date changes.
   */
  readonly begin: string
  readonly releases: readonly string[]
}

/**
 * Returns the events up to the newest quotes. Undefined if there are no events of the same kind as
 * the quotes (samples or real rows).
 */
async function eventsUntil({ session }: Workspace, served: ServedReleases, { manifest }: Parent): Promise<Events | undefined> {
  const lists = [
    [await served.alike('ex-rights', manifest.synthetic), EX_RIGHTS],
    [await served.alike('capital-changes', manifest.synthetic), CAPITAL_CHANGES],
  ] as const
  const [releases, selects]: [string[], string[]] = [[], []]
  for (const [release, select] of lists) {
    if (!release || release.manifest.parts.length === 0) continue
    releases.push(release.manifest.release)
    selects.push(select(await readParts(release, release.manifest.parts)))
  }
  if (selects.length === 0) return undefined
  const select = `SELECT * FROM (${selects.join(' UNION ALL ')}) WHERE event_date <= ${literal(manifest.statistics.last_date ?? '')}`
  const rows = await session.rows(
    `SELECT market, count(*)::INTEGER AS count, min(event_date) FILTER (source = 'ex-rights') AS first FROM (${select}) GROUP BY 1 ORDER BY 1`,
  )
  const begin = rows.flatMap(row => (row['first'] === null ? [] : [[row['market'], row['first']]]))
  return { select, count: rows.reduce((sum, row) => sum + Number(row['count']), 0), begin: JSON.stringify(begin), releases }
}

/** Returns SQL of ex-rights events, which lower the price without an exchange of shares. */
const EX_RIGHTS = (rows: string): string => `
  SELECT ticker, market, 'ex-rights' AS source, kind AS event_type, ex_date::VARCHAR AS event_date, 'ex-rights:' || ticker || ':' || ex_date AS event_id,
    close_before, reference_price, 1::DOUBLE AS share_ratio
  FROM ${rows}`

/**
 * Returns SQL of events that exchange shares. A missing ratio is the quotient of both prices, as
 * in the exchange's formulas. Reductions with a cash refund get no ratio, because the refund also
 * changes the price.
 */
const CAPITAL_CHANGES = (rows: string): string => `
  SELECT ticker, market, 'capital-changes' AS source, change_type AS event_type, resume_date::VARCHAR AS event_date,
    'capital-changes:' || ticker || ':' || resume_date AS event_id, close_before, coalesce(price_less_rights, reference_price) AS reference_price,
    coalesce(exchange_ratio, CASE WHEN change_type <> 'capital_reduction' OR reason LIKE '彌補虧損%' THEN close_before / t.reference_price END) AS share_ratio
  FROM ${rows} AS t`

interface Made {
  readonly served: ServedReleases
  readonly quotes: Parent
  readonly events: Events
}

/** Returns undefined if the served factors are up to date. */
async function publishFactors(
  workspace: Workspace,
  calendar: TradingCalendar,
  { served, quotes, events }: Made,
): Promise<DatasetOutcome | undefined> {
  const { session, captures, catalog } = workspace
  const former = await served.of(FACTORS)
  const madeOf = [...events.releases, events.count, calendar.closed.size, calendar.open.size].join(' ')
  if (former && loggedJoin(captures, FACTORS, EVENTS) === `${madeOf} ${former.manifest.release}`) return undefined
  const dataset = catalog.get(FACTORS)!
  const rows = adjustmentsOf((await session.rows(events.select)) as unknown as PriceEvent[], day => isSession(day, calendar))
  const columns = stagedColumns(dataset, [])
  const relation = await createStaging(session, 'raw', columns)
  await stageRows(session, dataset, relation, columns, 0, rows as unknown as Parameters<typeof stageRows>[5])
  const outcome = await publishMade(workspace, calendar, quotes, { dataset, relation })
  if (outcome.status !== 'refused') logJoin(captures, FACTORS, EVENTS, `${madeOf} ${outcome.release}`)
  return { dataset: FACTORS, outcome }
}

type Making = Pick<Parameters<typeof publish>[1], 'dataset' | 'relation' | 'whole'>

const publishMade = (workspace: Workspace, calendar: TradingCalendar, { manifest }: Parent, made: Making) =>
  publish(workspace, {
    ...made,
    sources: [
      {
        name: `${QUOTES} ${manifest.release}`,
        sha256: manifest.statistics.spans,
        bytes: 0,
        read_as: 'release',
        url: made.dataset.lineage.url,
      },
    ],
    synthetic: manifest.synthetic,
    accept: ACCEPTED,
    sourceBySource: false,
    calendar,
  })

interface Scope {
  readonly quotes: Parent
  readonly begin: string
  /** Tickers whose factors this run changed. Undefined if this run published no factors. */
  readonly moved: readonly string[] | undefined
}

/** Returns undefined if all rows are up to date. */
async function publishPrices(workspace: Workspace, calendar: TradingCalendar, scope: Scope): Promise<DatasetOutcome | undefined> {
  const { session, captures } = workspace
  const { quotes, begin } = scope
  const served = createServedReleases(workspace)
  const [factors, former] = [(await served.of(FACTORS))!, await served.alike(PRICES, quotes.manifest.synthetic)]
  const declared = workspace.catalog.get(PRICES)!
  const whole = former && former.manifest.parts.length > 0 ? stale(captures, factors, scope) : undefined
  if (whole && partsOf(quotes, whole).length === 0) {
    logUpToDate(captures, factors, scope)
    return undefined
  }
  const next = await nextEvents(factors)
  const relation = await createView(session, 'adjusted', adjusted(await readParts(quotes, partsOf(quotes, whole)), next, begin, whole))
  const dataset = whole ? declared : { ...declared, publish: { ...declared.publish, mode: 'replace' as const } }
  const outcome = await publishMade(workspace, calendar, quotes, { dataset, relation, ...(whole && { whole }) })
  if (outcome.status !== 'refused') logUpToDate(captures, factors, scope)
  return { dataset: PRICES, outcome }
}

function logUpToDate(captures: string, factors: Parent, { quotes, begin }: Scope): void {
  logJoin(captures, PRICES, QUOTES, quotes.manifest.release)
  logJoin(captures, PRICES, FACTORS, factors.manifest.release)
  logJoin(captures, PRICES, BEGIN, begin)
}

/** Returns the rows that may be outdated. Undefined if all rows may be. */
function stale(captures: string, factors: Parent, { quotes, begin, moved }: Scope): Making['whole'] {
  const joined = (source: string): string | undefined => loggedJoin(captures, PRICES, source)
  const { release, parent, changes } = quotes.manifest
  if (joined(BEGIN) !== begin) return undefined
  const days = changes.date_from === null || changes.date_to === null ? [] : [[changes.date_from, changes.date_to] as const]
  const quotesMoved = joined(QUOTES) === release ? [] : joined(QUOTES) === parent ? days : undefined
  const keysMoved = joined(FACTORS) === factors.manifest.release ? [] : joined(FACTORS) === factors.manifest.parent ? moved : undefined
  return quotesMoved === undefined || keysMoved === undefined ? undefined : { days: quotesMoved, keys: keysMoved }
}

const partsOf = (quotes: Parent, whole: Making['whole']): readonly Part[] => (whole ? partsWithin(quotes, whole) : quotes.manifest.parts)

/**
 * Returns SQL of the first event per ticker and day. The cumulative factors of this event apply to
 * all earlier days.
 */
async function nextEvents(factors: Parent): Promise<string> {
  return `(SELECT * FROM ${await readParts(factors, factors.manifest.parts)} QUALIFY row_number() OVER (PARTITION BY ticker, event_date ORDER BY event_id) = 1)`
}

/** Price times factor is computed in decimals and rounded only once. */
function adjusted(quotes: string, next: string, begin: string, whole: Making['whole']): string {
  const price = (name: string): string =>
    `CASE WHEN f.event_id IS NULL THEN q.${name} ELSE round(q.${name}::DECIMAL(18, 4) * f.cumulative_factor::DECIMAL(20, 10), 6)::DOUBLE END AS ${name}`
  const since = `CASE q.market ${(JSON.parse(begin) as [string, string][]).map(([market, day]) => `WHEN ${literal(market)} THEN DATE ${literal(day)}`).join(' ')} END`
  const unknown = `CASE WHEN ${begin === '[]' ? 'true' : `coalesce(q.trade_date < ${since}, true)`} THEN ${begin === '[]' ? `'no_ex_days_on_record'` : `coalesce('ex_days_begin:' || ${since}, 'no_ex_days_on_record')`} END`
  const within = whole
    ? `WHERE q.ticker IN (${['', ...whole.keys].map(literal).join(', ')})${whole.days.map(([first, last]) => ` OR q.trade_date BETWEEN DATE ${literal(first)} AND DATE ${literal(last)}`).join('')}`
    : ''
  return `
    SELECT q.ticker, q.market, q.trade_date, ${['open', 'high', 'low', 'close'].map(price).join(', ')},
      CASE WHEN f.event_id IS NULL THEN q.volume ELSE round(q.volume::DECIMAL(18, 0) * f.cumulative_share_ratio::DECIMAL(20, 10), 0)::BIGINT END AS volume,
      CASE WHEN f.event_id IS NULL THEN 1 ELSE f.cumulative_factor END AS factor, q.close AS traded_close, f.event_id AS next_event,
      nullif(concat_ws(' ', f.gap, ${unknown}), '') AS gap, 0 AS "_source"
    FROM (SELECT * FROM ${quotes} AS q ${within}) AS q ASOF LEFT JOIN ${next} AS f ON q.ticker = f.ticker AND q.trade_date < f.event_date`
}
