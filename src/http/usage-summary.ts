import type { Priced } from '../../catalog/dataset.ts'
import type { Catalog } from '../../catalog/load.ts'
import { PRODUCTS } from '../../catalog/products.ts'
import type { Account } from '../accounts/accounts.ts'
import type { Control } from '../accounts/open.ts'
import { type UsageWindow, usageWindow, WINDOWS } from '../accounts/usage-window.ts'
import { type Clock, taipei } from '../core/clock.ts'
import { type Fault, inputRefusal } from '../core/errors.ts'
import { nearest } from '../core/nearest.ts'
import type { Gate } from '../gate.ts'
import { creditsView } from './views.ts'

export interface UsageParts {
  readonly control: Control
  readonly catalog: Catalog
  readonly gate: Gate
  readonly clock: Clock
}

type Query = Readonly<Record<string, unknown>>

export interface UsageQuery {
  readonly window: UsageWindow
  /** Slug of a dataset or of what is sold beside them, or null for all. */
  readonly dataset: string | null
}

const PARAMS = ['window', 'dataset']

/** @throws Refusal invalid_parameter for an unknown window, dataset or parameter, or one sent twice */
export function readUsageQuery(query: Query, { catalog, clock }: Pick<UsageParts, 'catalog' | 'clock'>): UsageQuery {
  const faults: Fault[] = Object.entries(query).flatMap(([name, value]) => nameFaults(name, value))
  const { window: name = 'month', dataset: asked } = query
  const window = typeof name === 'string' ? usageWindow(name, clock()) : undefined
  if (!window && typeof name === 'string') faults.push(fault('window', `window must be one of ${WINDOWS.join(', ')}`, 'enum'))
  const dataset = asked === undefined ? null : slugOf(String(asked), catalog)
  if (dataset === undefined && typeof asked === 'string') {
    const guess = nearest(
      asked.replaceAll('_', '-'),
      counted(catalog).map(({ slug }) => slug),
    )
    faults.push(fault('dataset', `there is no dataset of that name${guess ? `; did you mean ${guess}?` : ''}`, 'enum'))
  }
  if (!window || dataset === undefined || faults.length > 0) throw inputRefusal(faults)
  return { window, dataset }
}

/** What usage is counted under: every dataset, then what is sold beside them. */
const counted = (catalog: Catalog): readonly Priced[] => [...catalog.values(), ...PRODUCTS]

/** Slugs and ids are both taken, and an id with underscores where another dataset's would have them. */
const slugOf = (name: string, catalog: Catalog): string | undefined =>
  counted(catalog).find(({ slug, id }) => id === name || slug === name.replaceAll('_', '-'))?.slug

function nameFaults(name: string, value: unknown): readonly Fault[] {
  const shown = name.slice(0, 100)
  if (!PARAMS.includes(name)) {
    const guess = nearest(name, PARAMS)
    const msg = `${shown} is not a parameter here; ${guess ? `did you mean ${guess}?` : `known: ${PARAMS.join(', ')}`}`
    return [fault(shown, msg, 'unknown_parameter')]
  }
  return typeof value === 'string' ? [] : [fault(name, `${name} was sent more than once; send it once`, 'repeated_parameter')]
}

const fault = (name: string, msg: string, type: string): Fault => ({ loc: ['query', name], msg, type })

/** What the account used in a window, by day, dataset and key, beside the credits of the running period. */
export function usageSummary(account: Account, parts: UsageParts, query: Query) {
  const { window, dataset } = readUsageQuery(query, parts)
  const { balance } = parts.gate.standing({ accountId: account.id, plan: account.plan })
  return {
    window,
    plan_id: account.plan,
    ...parts.control.usage.report(account.id, window, dataset),
    credits: creditsView(balance),
    as_of: taipei(parts.clock()),
  }
}
