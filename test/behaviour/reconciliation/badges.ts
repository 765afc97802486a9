import type { TestService } from '../../support.ts'

export interface Comparison {
  readonly method: string
  readonly dataset: string
  readonly badge: string
  readonly rows: number
  readonly rows_compared: number
  readonly matched: number
  readonly mismatched: number
  readonly match_ratio: number | null
  readonly compared_at: string
  readonly release_version: string
  readonly against_release: string | null
}

export interface Badge extends Omit<Comparison, 'method' | 'release_version'> {
  readonly badge_reason: string | null
  readonly method: string | null
  readonly release_version: string | null
  readonly synthetic: boolean
  readonly unchecked: readonly string[]
  readonly methods: readonly Comparison[]
}

export const badge = async (s: TestService, dataset: string): Promise<Badge> =>
  (await s.get(`/v2/data-catalog/reconciliation/${dataset}`)).json()

/**
 * Counts of one method: existing, compared and matching rows. Undefined if the method is not
 * listed.
 */
export async function counts(s: TestService, dataset: string, method: string): Promise<readonly number[] | undefined> {
  const found = (await badge(s, dataset)).methods.find(each => each.method === method && each.dataset.replaceAll('_', '-') === dataset)
  return found && [found.rows, found.rows_compared, found.matched]
}

/** The badge of every method. */
export const verdicts = ({ methods }: Badge): readonly (readonly string[])[] => methods.map(({ method, badge }) => [method, badge])
