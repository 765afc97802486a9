import type { Outcome } from './caller.ts'
import type { Observed, Span } from './report.ts'
import type { Sample } from './sampling.ts'

/** Counts the outcomes of requests by time and kind. */
export interface Tally {
  add(outcome: Outcome): void
  /** Counts a request that was due but not sent. */
  unsent(): void
  /** A progress message with a sample and the requests so far. */
  line(sample: Sample, publications: number): string
  sums(samples: readonly Sample[]): Pick<Observed, 'spans' | 'kinds'>
}

interface Counted {
  requests: number
  cut: number
  shed: number
  unsent: number
  readonly faults: Record<string, number>
  readonly ms: number[]
}

const MIB = 2 ** 20
const nothing = (): Counted => ({ requests: 0, cut: 0, shed: 0, unsent: 0, faults: {}, ms: [] })

/** @param began by `performance.now()` */
export function openTally(began: number, spanMs: number): Tally {
  const spans: Counted[] = []
  const kinds = new Map<string, number[]>()
  let [requests, faulty] = [0, 0]
  const spanAt = (time: number): Counted => (spans[Math.floor(time / spanMs)] ??= nothing())
  return {
    add({ kind, ms, fault, cut, shed }) {
      const span = spanAt(performance.now() - began)
      span.requests++
      requests++
      if (cut) span.cut++
      else if (shed) span.shed++
      else if (fault !== null) {
        const name = `${kind}: ${fault}`
        span.faults[name] = (span.faults[name] ?? 0) + 1
        faulty++
      } else {
        span.ms.push(ms)
        const those = kinds.get(kind)
        if (those) those.push(ms)
        else kinds.set(kind, [ms])
      }
    },
    unsent: () => void spanAt(performance.now() - began).unsent++,
    line: ({ at: time, life, rss, heap, descriptors, disk }, publications) =>
      `${Math.round(time / 1_000)} s, life ${life}: ${requests} requests, ${faulty} wrong; ${publications} publications; RSS ${Math.round(rss / MIB)} MiB, heap ${Math.round(heap / MIB)} MiB, ${descriptors} descriptors, disk ${Math.round(disk / MIB)} MiB`,
    sums: samples => ({
      spans: Array.from(spans, (counted, index): Span => {
        const { requests, cut, shed, unsent, faults, ms } = counted ?? nothing()
        const within = samples.filter(({ at: time }) => Math.floor(time / spanMs) === index)
        const lateMs = within.length === 0 ? null : Math.max(...within.map(sample => sample.lateMs))
        const from = (index * spanMs) / 60_000
        return {
          from,
          requests,
          cut,
          shed,
          unsent,
          faults,
          p50: quantileOf(ms, 0.5),
          p99: quantileOf(ms, 0.99),
          last: within.at(-1) ?? null,
          lateMs,
        }
      }),
      kinds: Object.fromEntries(
        [...kinds].map(([kind, ms]) => [kind, { answered: ms.length, p50: quantileOf(ms, 0.5)!, p99: quantileOf(ms, 0.99)! }]),
      ),
    }),
  }
}

function quantileOf(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null
}
