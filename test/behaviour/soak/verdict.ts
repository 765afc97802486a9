import { type Growth, growthOf, LEAST_SAMPLES } from './growth.ts'
import type { Observed } from './report.ts'

const MIB = 2 ** 20

/** Limits of a run, in addition to the checks that always apply. */
export interface Bounds {
  /** Maximum size of the data folder in bytes. */
  readonly mostDisk: number
  /** Maximum RSS in bytes of the service, and of the process that publishes. */
  readonly mostRss: number
  /** Maximum bytes that V8 allocates outside its heap. */
  readonly mostExternal: number
  /** Maximum bytes of the write-ahead log of the state file. */
  readonly mostWal: number
  /**
   * Maximum share of requests that were refused as overloaded, and of requests that were not sent
   * because too many were in progress.
   */
  readonly mostShed: number
  /** Minimum number of samples after warm-up. */
  readonly leastSamples: number
}

/**
 * Limits of a service with the small caches of a soak. Measured: 445 MiB RSS, 80 MiB external and a
 * 10 MiB log after some minutes; 832 MiB RSS after an hour on a busy machine.
 */
export const BOUNDS: Bounds = {
  mostDisk: 2_048 * MIB,
  mostRss: 1_000 * MIB,
  mostExternal: 256 * MIB,
  mostWal: 256 * MIB,
  mostShed: 0.01,
  leastSamples: LEAST_SAMPLES,
}

/** Tolerance for the number of descriptors, because the number of keep-alive connections varies. */
const DESCRIPTOR_SLACK = 16
/**
 * Minimum number of expected requests for a check of a kind. Kinds with fewer may have none by
 * chance.
 */
const LEAST_DUE = 20

/** Growth of every measured value. */
export const growthsOf = ({ samples, warmUpMs }: Pick<Observed, 'samples' | 'warmUpMs'>): readonly Growth[] => [
  growthOf(samples, 'rss', warmUpMs),
  growthOf(samples, 'heap', warmUpMs, 32 * MIB),
  growthOf(samples, 'external', warmUpMs, 64 * MIB),
  growthOf(samples, 'publisherRss', warmUpMs),
  growthOf(samples, 'descriptors', warmUpMs, DESCRIPTOR_SLACK),
  growthOf(samples, 'threads', warmUpMs, 4),
]

/**
 * @returns the faults, each a sentence; empty if there are none. Missing measurements are faults
 */
export function verdictOf(observed: Observed, growth: readonly Growth[], bounds: Bounds): readonly string[] {
  const { spans, happened } = observed
  const faults = Map.groupBy(
    spans.flatMap(span => Object.entries(span.faults)),
    ([fault]) => fault,
  )
  return [
    ...[...faults].map(([fault, times]) => `${times.reduce((sum, [, count]) => sum + count, 0)} × ${fault}`),
    ...unseen(observed, bounds),
    ...growth
      .filter(({ isFlat }) => isFlat === false)
      .map(
        ({ of: measurement, overLife, thirds }) =>
          `${measurement} grows: ${percent(overLife)} over a life, ${percent(thirds - 1)} from the middle third to the last`,
      ),
    ...tooMuch(observed, bounds),
    ...booksOf(observed),
    ...(happened.badExits.length > 0 ? [`stops that ended with ${happened.badExits.join(', ')}`] : []),
    ...(happened.unannounced.length > 0 ? [`the webhook did not receive ${happened.unannounced.join(', ')}`] : []),
    ...turnedAway(observed, bounds),
    ...[...happened.failures].map(([message, count]) => `${count} × logged: ${message}`),
    ...happened.undone,
  ]
}

/** Faults: events and samples that are missing, without which the other checks prove nothing. */
function unseen({ samples, failedSamples, warmUpMs, kinds, happened, due }: Observed, { leastSamples }: Bounds): readonly string[] {
  const taken = samples.filter(({ age }) => age >= warmUpMs).length
  const none = Object.keys(due.requests).filter(kind => due.requests[kind]! >= LEAST_DUE && !kinds[kind]?.answered)
  const isAnswered = Object.values(kinds).some(({ answered }) => answered > 0)
  return [
    ...(isAnswered ? none.map(kind => `no request was answered of the kind: ${kind}`) : ['no request was answered']),
    ...(happened.publications < due.publications ? [`${happened.publications} publications of ${due.publications} that were due`] : []),
    ...(taken < leastSamples ? [`${taken} samples after warm-up, and fewer than ${leastSamples} do not show growth`] : []),
    ...(failedSamples > 0 ? [`${failedSamples} samples that were due were not had`] : []),
  ]
}

/** Faults: measurements that exceeded their limit at any time, including warm-up. */
function tooMuch({ samples }: Observed, { mostDisk, mostRss, mostExternal, mostWal }: Bounds): readonly string[] {
  const limits = [
    ['the service had', 'of RSS', 'rss', mostRss],
    ['what publishes had', 'of RSS', 'publisherRss', mostRss],
    ['the service had', 'outside the heap of JavaScript', 'external', mostExternal],
    ['the data folder had', '', 'disk', mostDisk],
    ['the log of the state file had', '', 'wal', mostWal],
  ] as const
  return limits.flatMap(([who, where, measurement, most]) => {
    const peak = Math.max(0, ...samples.map(sample => sample[measurement] ?? 0))
    return peak > most ? [`${who} ${mib(peak)} MiB${where && ` ${where}`}, more than ${mib(most)}`] : []
  })
}

function booksOf({ spans, balance: { missing, unseen, sumsAgree, intact } }: Observed): readonly string[] {
  const cut = spans.reduce((all, span) => all + span.cut, 0)
  return [
    ...(missing > 0 ? [`${missing} answers are not in the ledger at their stated price`] : []),
    ...(unseen > cut ? [`${unseen} entries of the ledger have no answer, and only ${cut} were cut`] : []),
    ...(sumsAgree ? [] : ['the sums of the ledger disagree']),
    ...(intact ? [] : ['the state file is damaged']),
  ]
}

function turnedAway({ spans }: Observed, { mostShed }: Bounds): readonly string[] {
  const sum = (measurement: 'requests' | 'shed' | 'unsent'): number => spans.reduce((all, span) => all + span[measurement], 0)
  const shed = sum('shed') / (sum('requests') || 1)
  const unsent = sum('unsent') / (sum('requests') + sum('unsent') || 1)
  return [
    ...(shed > mostShed ? [`${percent(shed)} of the requests were refused as overloaded: too many for this machine at the moment`] : []),
    ...(unsent > mostShed ? [`${percent(unsent)} of the requests were not sent: too many were under way`] : []),
  ]
}

/** Bytes as whole MiB. */
export const mib = (bytes: number): string => String(Math.round(bytes / MIB))
/** A share as text: a percentage with one decimal. */
export const percent = (share: number): string => `${(share * 100).toFixed(1)} %`
