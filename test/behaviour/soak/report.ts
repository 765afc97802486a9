import type { Balance } from './books.ts'
import type { Growth } from './growth.ts'
import type { Sample } from './sampling.ts'
import { type Bounds, growthsOf, mib, percent, verdictOf } from './verdict.ts'

/** One interval of the soak. */
export interface Span {
  /** Minutes since the start of the soak. */
  readonly from: number
  readonly requests: number
  /** Number of requests without a complete answer, because the service was stopping or killed. */
  readonly cut: number
  /** Requests refused as overloaded. */
  readonly shed: number
  /** Number of requests that were due but not sent, because too many were in progress. */
  readonly unsent: number
  /** Number of failed requests by fault. */
  readonly faults: Readonly<Record<string, number>>
  /** Milliseconds; null if no request was answered. */
  readonly p50: number | null
  readonly p99: number | null
  /** The last sample in the interval. Null if there is none. */
  readonly last: Sample | null
  /** Maximum event loop delay in milliseconds. */
  readonly lateMs: number | null
}

/** Counts of other events and operations. */
export interface Happened {
  readonly publications: number
  /** Maximum time in seconds from dropping a file into the inbox until its rows are served. */
  readonly slowestPublication: number
  readonly compactions: number
  /** Number of deleted releases. */
  readonly letGo: number
  readonly stops: number
  readonly kills: number
  /** Exit codes of stops other than 0. */
  readonly badExits: readonly (number | null)[]
  /**
   * Number of webhook messages, of publications that they announced, and of publications that they
   * did not announce.
   */
  readonly messages: number
  readonly unannounced: readonly string[]
  /** Number of keys that were created, used and revoked. */
  readonly keys: number
  /** Errors in the service's log with their counts. Errors caused by overload are left out. */
  readonly failures: readonly (readonly [string, number])[]
  /** Names of operations that failed. */
  readonly undone: readonly string[]
}

export interface Observed {
  readonly minutes: number
  readonly spans: readonly Span[]
  readonly samples: readonly Sample[]
  readonly kinds: Readonly<Record<string, { readonly answered: number; readonly p50: number; readonly p99: number }>>
  readonly happened: Happened
  readonly balance: Balance
  readonly warmUpMs: number
  /** Expected number of publications, and of requests of each kind. */
  readonly due: { readonly publications: number; readonly requests: Readonly<Record<string, number>> }
  /** Number of samples that failed although the service was running. */
  readonly failedSamples: number
}

export interface SoakReport extends Observed {
  readonly growth: readonly Growth[]
  readonly peakDisk: number
  /** The faults, each a sentence. Empty if there are none. */
  readonly complaints: readonly string[]
}

export function reportOf(observed: Observed, bounds: Bounds): SoakReport {
  const growth = growthsOf(observed)
  const peakDisk = Math.max(0, ...observed.samples.map(({ disk }) => disk))
  return { ...observed, growth, peakDisk, complaints: verdictOf(observed, growth, bounds) }
}

const MIB = 2 ** 20
const MINUTE_MS = 60_000
const ms = (value: number | null): string => (value === null ? '–' : value.toFixed(1))

/** Three tables, a paragraph of counts and a verdict, as Markdown. */
export function reportText({ spans, samples, kinds, growth, happened, balance, peakDisk, complaints }: SoakReport): string {
  const errorsOf = ({ cut, shed, unsent, faults }: Span): string =>
    [
      ...(cut > 0 ? [`${cut} cut`] : []),
      ...(shed > 0 ? [`${shed} shed`] : []),
      ...(unsent > 0 ? [`${unsent} not sent`] : []),
      ...Object.entries(faults).map(([fault, count]) => `${count} × ${fault}`),
    ].join(', ') || 'none'
  const rows = spans.map(span => {
    const { from, requests, p50, p99, last, lateMs } = span
    const measurements = last
      ? [
          mib(last.rss),
          mib(last.heap),
          last.descriptors ?? '–',
          last.threads ?? '–',
          mib(last.disk),
          (last.state / MIB).toFixed(1),
          (last.wal / MIB).toFixed(1),
        ]
      : Array.from({ length: 7 }, () => '–')
    return [from, requests, errorsOf(span), ms(p50), ms(p99), ...measurements, ms(lateMs)]
  })
  const heads = [
    'from minute',
    'requests',
    'errors',
    'p50 ms',
    'p99 ms',
    'RSS MiB',
    'heap MiB',
    'descriptors',
    'threads',
    'disk MiB',
    'state MiB',
    'WAL MiB',
    'loop late ms',
  ]
  const { publications, slowestPublication, compactions, letGo, stops, kills, messages, keys } = happened
  const longestMinutes = Math.round(Math.max(0, ...samples.map(({ age }) => age)) / MINUTE_MS)
  return [
    tableOf([heads, ...rows]),
    tableOf([
      ['kind', 'answered', 'p50 ms', 'p99 ms'],
      ...Object.entries(kinds).map(([kind, { answered, p50, p99 }]) => [kind, answered, ms(p50), ms(p99)]),
    ]),
    tableOf([
      ['of', 'per hour', 'over a life', 'last third / middle third', 'flat'],
      ...growth.map(entry => [
        entry.of,
        /rss|heap|external/i.test(entry.of) ? `${(entry.perHour / MIB).toFixed(1)} MiB` : entry.perHour.toFixed(1),
        percent(entry.overLife),
        entry.thirds.toFixed(3),
        entry.isFlat ?? 'too short to tell',
      ]),
    ]),
    `${publications} publications, the slowest served after ${slowestPublication.toFixed(1)} s; ${compactions} compactions; ${letGo} releases deleted; ${stops} stops and ${kills} kills; ${messages} webhook messages; ${keys} keys made and revoked. ${balance.answers} priced answers of ${balance.credits} credits, ${balance.missing} of them missing in the ledger, ${balance.unseen} entries of answers that were cut. Peak disk ${mib(peakDisk)} MiB.`,
    complaints.length === 0 ? 'All is well.' : `Not well:\n${complaints.map(line => `- ${line}`).join('\n')}`,
    ...(stops + kills > 0
      ? [
          `No life of the service was longer than ${longestMinutes} minutes, which is too short to rule out growth. Use \`--restart 0\` to measure it.`,
        ]
      : []),
  ].join('\n\n')
}

const tableOf = ([heads, ...rows]: readonly (readonly unknown[])[]): string =>
  [heads!, heads!.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')
