import type { Balance } from './books.ts'
import { type Growth, growthOf } from './growth.ts'
import type { Sample } from './sampling.ts'

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
}

export interface SoakReport extends Observed {
  readonly growth: readonly Growth[]
  readonly peakDisk: number
  /** What is wrong, a sentence each; none where all is well. */
  readonly complaints: readonly string[]
}

const MIB = 2 ** 20
/** Connections that are kept for a while are open at one moment and not at another. */
const DESCRIPTOR_SLACK = 16

/** What a run is held to beside what must always hold. */
export interface Bounds {
  /** Bytes that the data folder may have. */
  readonly mostDisk: number
  /** Share of the requests that may be refused as overloaded, and that may not be sent because too many are under way. */
  readonly mostShed: number
}

export function reportOf(observed: Observed, { mostDisk, mostShed }: Bounds): SoakReport {
  const { spans, samples, warmUpMs, happened, balance } = observed
  const growth = [
    growthOf(samples, 'rss', warmUpMs),
    growthOf(samples, 'heap', warmUpMs, 32 * MIB),
    growthOf(samples, 'publisherRss', warmUpMs),
    growthOf(samples, 'descriptors', warmUpMs, DESCRIPTOR_SLACK),
    growthOf(samples, 'threads', warmUpMs, 4),
  ]
  const sum = (of: 'requests' | 'cut' | 'shed' | 'unsent'): number => spans.reduce((all, span) => all + span[of], 0)
  const cut = sum('cut')
  const shed = sum('shed') / (sum('requests') || 1)
  const unsent = sum('unsent') / (sum('requests') + sum('unsent') || 1)
  const faults = Map.groupBy(
    spans.flatMap(span => Object.entries(span.faults)),
    ([fault]) => fault,
  )
  const peakDisk = Math.max(0, ...samples.map(({ disk }) => disk))
  const complaints = [
    ...[...faults].map(([fault, times]) => `${times.reduce((sum, [, count]) => sum + count, 0)} × ${fault}`),
    ...growth
      .filter(({ isFlat }) => isFlat === false)
      .map(
        ({ of, overLife, thirds }) =>
          `${of} grows: ${percent(overLife)} over a life, ${percent(thirds - 1)} from the middle third to the last`,
      ),
    ...(balance.missing > 0 ? [`${balance.missing} answers are not in the ledger as they said`] : []),
    ...(balance.unseen > cut ? [`${balance.unseen} entries of the ledger have no answer, and only ${cut} were cut`] : []),
    ...(balance.sumsAgree ? [] : ['the sums of the ledger disagree']),
    ...(balance.intact ? [] : ['the state file is damaged']),
    ...(happened.badExits.length > 0 ? [`stops that ended with ${happened.badExits.join(', ')}`] : []),
    ...(happened.untold.length > 0 ? [`the webhook was not told of ${happened.untold.join(', ')}`] : []),
    ...(shed > mostShed ? [`${percent(shed)} of the requests were refused as overloaded: too many for this machine at the moment`] : []),
    ...(unsent > mostShed ? [`${percent(unsent)} of the requests were not sent: too many were under way`] : []),
    ...[...happened.failures].map(([line, count]) => `${count} × logged: ${line}`),
    ...happened.undone,
    ...(peakDisk > mostDisk ? [`the data folder had ${mib(peakDisk)} MiB, more than ${mib(mostDisk)}`] : []),
  ]
  return { ...observed, growth, peakDisk, complaints }
}

const mib = (bytes: number): string => String(Math.round(bytes / MIB))
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`
const ms = (value: number | null): string => (value === null ? '–' : value.toFixed(1))

/** Two tables and a verdict, as Markdown. */
export function reportText({ spans, kinds, growth, happened, balance, peakDisk, complaints }: SoakReport): string {
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
        /rss|heap/i.test(one.of) ? `${(one.perHour / MIB).toFixed(1)} MiB` : one.perHour.toFixed(1),
        percent(one.overLife),
        one.thirds.toFixed(3),
        one.isFlat ?? 'too short to tell',
      ]),
    ]),
    `${publications} publications, the slowest served after ${slowestPublication.toFixed(1)} s; ${compactions} compactions; ${letGo} releases let go; ${stops} stops and ${kills} kills; ${messages} webhook messages; ${keys} keys made and revoked. ${balance.answers} priced answers of ${balance.credits} credits, ${balance.missing} of them missing in the ledger, ${balance.unseen} entries of answers that were cut. Peak disk ${mib(peakDisk)} MiB.`,
    complaints.length === 0 ? 'All is well.' : `Not well:\n${complaints.map(line => `- ${line}`).join('\n')}`,
  ].join('\n\n')
}

const tableOf = ([heads, ...rows]: readonly (readonly unknown[])[]): string =>
  [heads!, heads!.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')
