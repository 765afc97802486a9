export interface PriceEvent {
  readonly event_id: string
  readonly ticker: string
  readonly market: string
  readonly source: string
  readonly event_type: string
  /** First day on the new terms, `YYYY-MM-DD`. */
  readonly event_date: string
  readonly close_before: number | null
  readonly reference_price: number | null
  /** New shares per old share. Null if unknown. */
  readonly share_ratio: number | null
}

export interface Adjustment extends PriceEvent {
  readonly factor: number | null
  /** Product of the factors of this event and all later events. Null if a factor is null. */
  readonly cumulative_factor: number | null
  /** Product of the share ratios of this event and all later events. */
  readonly cumulative_share_ratio: number | null
  /**
   * Why a value is null or the factor is 1: labels with event ids, separated by spaces. Null if
   * nothing needs an explanation.
   */
  readonly gap: string | null
}

/** Decimals of factors and ratios, which are rounded half away from zero. */
const FACTOR_DECIMALS = 10
const ONE = 10n ** BigInt(FACTOR_DECIMALS)

/**
 * Returns all events with their factor (reference price / close before), sorted by ticker, day and
 * id. Computes in decimals, so that results can be reproduced digit by digit. The exchange may list
 * an event for a day without trading and repeat the event for the next trading day. The two entries
 * count once, on the later day.
 */
export function adjustmentsOf(events: readonly PriceEvent[], isSession: (day: string) => boolean): readonly Adjustment[] {
  const byTicker = Map.groupBy(events.toSorted(inOrder), ({ ticker }) => ticker)
  return [...byTicker.values()].flatMap(own => chain(own, isSession))
}

const inOrder = (a: PriceEvent, b: PriceEvent): number => {
  const [one, other] = [a, b].map(({ ticker, event_date, event_id }) => `${ticker} ${event_date} ${event_id}`) as [string, string]
  return one < other ? -1 : one > other ? 1 : 0
}

/**
 * Computes the factors of one security.
 *
 * @param events the security's events, oldest first
 */
function chain(events: readonly PriceEvent[], isSession: (day: string) => boolean): readonly Adjustment[] {
  let [prices, shares, missing]: [bigint | null, bigint | null, readonly string[]] = [ONE, ONE, []]
  const found: Adjustment[] = []
  for (const [back, event] of events.toReversed().entries()) {
    const later = events.slice(events.length - back)
    const moved = later.find(other => isMoved(event, other, isSession))
    const factor = moved ? ONE : quotient(event.reference_price, event.close_before)
    const ratio = moved ? ONE : scaled(event.share_ratio)
    prices = times(prices, factor)
    shares = times(shares, ratio)
    if (factor === null) missing = [`no_factor:${event.event_id}`, ...missing]
    if (ratio === null) missing = [`no_share_ratio:${event.event_id}`, ...missing]
    const said = [...(moved ? [`counted_as:${moved.event_id}`] : []), ...missing]
    found.push({
      ...event,
      factor: unscaled(factor),
      cumulative_factor: unscaled(prices),
      cumulative_share_ratio: unscaled(shares),
      gap: said.length > 0 ? said.join(' ') : null,
    })
  }
  return found.reverse()
}

/**
 * True if `event` is not on a trading day and `later` repeats it on the next trading day at the
 * same prices.
 */
function isMoved(event: PriceEvent, later: PriceEvent, isSession: (day: string) => boolean): boolean {
  const alike =
    event.source === later.source && event.close_before === later.close_before && event.reference_price === later.reference_price
  if (!alike || isSession(event.event_date)) return false
  for (let day = event.event_date; day < later.event_date; day = dayAfter(day)) if (isSession(day)) return false
  return true
}

const dayAfter = (day: string): string => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)

/**
 * Returns the figure in units of 1e-10. Null unless positive: other figures cannot scale prices.
 */
function scaled(value: number | null): bigint | null {
  return value === null || !(value > 0) ? null : BigInt(value.toFixed(FACTOR_DECIMALS).replace('.', ''))
}

function quotient(over: number | null, under: number | null): bigint | null {
  const [a, b] = [scaled(over), scaled(under)]
  return a === null || b === null ? null : (a * ONE + b / 2n) / b
}

const times = (a: bigint | null, b: bigint | null): bigint | null => (a === null || b === null ? null : (a * b + ONE / 2n) / ONE)

const unscaled = (value: bigint | null): number | null =>
  value === null ? null : Number(`${value / ONE}.${String(value % ONE).padStart(FACTOR_DECIMALS, '0')}`)
