import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bounds, HostileCase, Outcome } from './case.ts'

const CASES = new URL('cases/', import.meta.url)
/** Seconds per case at full scale (default), and the minimum at any scale. */
export const SECONDS = { full: 60, least: 2 }
/**
 * Time limit of a case: its seconds, multiplied, plus a constant for starting and stopping
 * services. A case that exceeds the limit counts as hung.
 */
const PATIENCE = { times: 8, seconds: 120 }

/** A case and its outcome. */
export interface Ran {
  readonly hostileCase: HostileCase
  readonly outcome: Outcome
  readonly seconds: number
}

/**
 * Every case of the folder `cases`, by id.
 *
 * @throws Error if two cases have the same id
 */
export async function loadCases(): Promise<readonly HostileCase[]> {
  const files = (await readdir(CASES)).filter(name => name.endsWith('.ts')).sort()
  const modules = await Promise.all(files.map(name => import(new URL(name, CASES).href)))
  const cases = modules.flatMap(({ cases }: { readonly cases: readonly HostileCase[] }) => cases)
  const repeated = cases.find(({ id }, index) => cases.findIndex(other => other.id === id) !== index)
  if (repeated) throw new Error(`two hostile cases have the id ${repeated.id}`)
  return cases.sort((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }))
}

/**
 * Runs one case in its own folder below `root`. Exceptions and timeouts count as failures of the
 * case.
 *
 * @param full seconds at full scale
 */
export async function runCase(
  hostileCase: HostileCase,
  root: string,
  bounds: Pick<Bounds, 'scale' | 'examples' | 'say'>,
  full = SECONDS.full,
): Promise<Ran> {
  const began = performance.now()
  await mkdir(root, { recursive: true })
  const folder = await mkdtemp(join(root, `${hostileCase.id}-`))
  const seconds = Math.max(SECONDS.least, full * bounds.scale)
  const limit = Math.max(seconds * PATIENCE.times, (hostileCase.minutes ?? 0) * 60 * bounds.scale) + PATIENCE.seconds
  let timer: NodeJS.Timeout | undefined
  const hung = new Promise<Outcome>(resolve => {
    timer = setTimeout(() => resolve({ tries: 0, failures: [`it did not end within ${limit.toFixed(0)} s`] }), limit * 1_000)
  })
  const outcome = await Promise.race([hostileCase.run({ ...bounds, seconds, folder }), hung]).catch(error => ({
    tries: 0,
    failures: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
  }))
  clearTimeout(timer)
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  return { hostileCase, outcome, seconds: (performance.now() - began) / 1_000 }
}

const HEAD = ['id', 'attack', 'attempts', 'rule', 'result', 'seconds']
/** Number of failures that a table row shows. The JSON contains all of them. */
const SHOWN = 3

/** The outcomes of a campaign as a Markdown table. */
export function tableOf(ran: readonly Ran[]): string {
  const rows = ran.map(({ hostileCase, outcome, seconds }) => [
    hostileCase.id,
    hostileCase.tries,
    outcome.tries.toLocaleString('en'),
    hostileCase.holds,
    resultOf(outcome),
    seconds.toFixed(0),
  ])
  return [HEAD, HEAD.map(() => '---'), ...rows].map(cells => `| ${cells.map(inCell).join(' | ')} |`).join('\n')
}

const inCell = (text: string): string => text.replace(/\s+/g, ' ').replaceAll('|', '\\|')

function resultOf({ failures, figures = {}, skipped }: Outcome): string {
  const measured = Object.entries(figures).map(([name, value]) => `${name} ${typeof value === 'number' ? rounded(value) : value}`)
  const more = failures.length > SHOWN ? [`and ${failures.length - SHOWN} more`] : []
  const result =
    skipped === undefined
      ? failures.length === 0
        ? ['passed']
        : ['FAILED', ...failures.slice(0, SHOWN).map(failure => failure.slice(0, 300)), ...more]
      : [`skipped: ${skipped}`]
  return [...result, ...measured].join('; ')
}

const rounded = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 1 : 0 })
