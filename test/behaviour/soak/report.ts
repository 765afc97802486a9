import type { Balance } from './books.ts'
import type { Growth } from './growth.ts'
import type { Sample } from './sampling.ts'
import { type Bounds, growthsOf, mib, percent, verdictOf } from './verdict.ts'

/** Some minutes of the soak. */
export interface Span {
  /** Minutes since it began. */
  readonly from: number
  readonly requests: number
  /** How many had no whole answer because the service was being stopped or killed. */
  readonly cut: number
  /** How many were refused as overloaded. */
  readonly shed: number
  /** How many were due and not sent, because too many were under way. */
  readonly unsent: number
  /** How many went wrong, by what went wrong. */
  readonly faults: Readonly<Record<string, number>>
  /** Milliseconds; null where nothing was answered. */
  readonly p50: number | null
  readonly p99: number | null
  /** Of the last sample in it; null where there is none. */
  readonly last: Sample | null
  /** The latest that the event loop was in it, in milliseconds. */
  readonly lateMs: number | null
}

/** What happened beside the requests. */
export interface Happened {
  readonly publications: number
  /** From a file in the inbox to its rows being served, in seconds; the longest. */
  readonly slowestPublication: number
  readonly compactions: number
  /** Releases that were let go. */
  readonly letGo: number
  readonly stops: number
  readonly kills: number
  /** Exit codes of stops that were not 0. */
  readonly badExits: readonly (number | null)[]
  /** Messages to the webhook, publications it was told of, and publications it was not told of. */
  readonly messages: number
  readonly untold: readonly string[]
  /** Keys that were made, used and revoked. */
  readonly keys: number
  /** Errors in the service's log and how often, without those of work that gave way because the service was overloaded. */
  readonly failures: readonly (readonly [string, number])[]
  /** What of this did not come about. */
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
  /** What was to come about: publications, and requests of each kind at the pace that was asked for. */
  readonly due: { readonly publications: number; readonly requests: Readonly<Record<string, number>> }
  /** Samples that were not had, though a life of the service ran. */
  readonly failedSamples: number
}

export interface SoakReport extends Observed {
  readonly growth: readonly Growth[]
  readonly peakDisk: number
  /** What is wrong, a sentence each; none where all is well. */
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
    const held = last
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
    return [from, requests, errorsOf(span), ms(p50), ms(p99), ...held, ms(lateMs)]
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
      ...growth.map(one => [
        one.of,
        /rss|heap|external/i.test(one.of) ? `${(one.perHour / MIB).toFixed(1)} MiB` : one.perHour.toFixed(1),
        percent(one.overLife),
        one.thirds.toFixed(3),
        one.isFlat ?? 'too short to tell',
      ]),
    ]),
    `${publications} publications, the slowest served after ${slowestPublication.toFixed(1)} s; ${compactions} compactions; ${letGo} releases let go; ${stops} stops and ${kills} kills; ${messages} webhook messages; ${keys} keys made and revoked. ${balance.answers} priced answers of ${balance.credits} credits, ${balance.missing} of them missing in the ledger, ${balance.unseen} entries of answers that were cut. Peak disk ${mib(peakDisk)} MiB.`,
    complaints.length === 0 ? 'All is well.' : `Not well:\n${complaints.map(line => `- ${line}`).join('\n')}`,
    ...(stops + kills > 0
      ? [
          `No life of the service was longer than ${longestMinutes} minutes, and memory that is flat that long may still grow by much in an hour: a run with \`--restart 0\` is the one that tells.`,
        ]
      : []),
  ].join('\n\n')
}

const tableOf = ([heads, ...rows]: readonly (readonly unknown[])[]): string =>
  [heads!, heads!.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')
