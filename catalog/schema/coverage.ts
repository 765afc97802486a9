import type { Dataset } from './dataset.ts'

/** What a dataset means to cover. What it holds is measured at publication. */
export interface Coverage {
  readonly markets: readonly string[]
  /** Whether securities that left the market stay in it. */
  readonly delisted: boolean
  /** What kind of thing is covered, one snake_case word group; where the envelope does not say it. */
  readonly scope?: string
  /** How it is covered in time, for example `daily_time_series`; where the envelope does not say it. */
  readonly type?: string
}

/** @throws Error when neither the envelope nor the coverage says them */
export function coverageWords({ slug, envelope, coverage }: Dataset): { readonly scope: string; readonly type: string } {
  const scope = 'scope' in envelope ? envelope.scope : coverage.scope
  const type = 'coverage' in envelope ? envelope.coverage : coverage.type
  if (scope === undefined || type === undefined) {
    throw new Error(`${slug} must say scope and type in its coverage, since its envelope does not`)
  }
  return { scope, type }
}
