import type { MonthPart, Part, ReleasePaths, Spans } from '../../../src/releases/index.ts'
import type { Batch } from '../check/batch.ts'
import type { Checked } from '../check/check-batch.ts'
import type { Relation } from '../check/relations.ts'
import type { Basis } from '../check/served-basis.ts'
import type { Compared } from '../compare/compare.ts'
import { measureReceived, type Received } from '../compare/source-figures.ts'
import { allOver, writeSpans } from './commit.ts'
import { checkRetained, layOut } from './layout.ts'
import { linkMonths } from './linked-months.ts'
import { inOrder, layOutMonths, type Months } from './months.ts'
import { byBucket, installMonths, installParts, writeMonths, writeParts } from './parts.ts'
import { measureSpans } from './spans.ts'
import type { Workspace } from './workspace.ts'

export interface Writing {
  readonly basis: Basis
  readonly incoming: Relation
  readonly slices: Checked['slices']
  readonly compared: Compared
  /** The months that an append changes. Undefined if all months are written. */
  readonly touched: Months | undefined
  readonly rowsAfter: number
  readonly stage: string
  readonly paths: ReleasePaths
}

/** Files of a release, with measurements. Rows are stored twice: by key and by month. */
export interface Clusterings {
  readonly buckets: number
  /** Parts that are retained come first. */
  readonly parts: readonly Part[]
  /** Months in ascending order. Missing if the release has none. */
  readonly months?: readonly MonthPart[]
  readonly spans: Spans & { readonly received: Received }
  readonly spansSha256: string
}

/**
 * Writes the rows by key and by month, and `spans.json`. A crash leaves the staging folder, and
 * files that no manifest lists.
 *
 * @throws Error if rows that are read back differ; Refusal integrity if a part of the parent
 * release is damaged
 */
export async function writeClusterings(workspace: Workspace, batch: Batch, writing: Writing): Promise<Clusterings> {
  const { basis, compared, touched, rowsAfter, stage, paths } = writing
  const { dataset } = batch
  const { parent } = basis
  const onSecondSession = { ...workspace, session: workspace.secondSession }
  const byMonth = async (months: Months) => installMonths(await writeMonths(onSecondSession, dataset, months, stage), paths)
  // One month is small, so the buckets can be written at the same time.
  const soon = touched?.writing.length === 1 ? byMonth(touched) : undefined
  const both = async (): Promise<Clusterings> => {
    const layout = await layOut(workspace, batch, parent, compared, rowsAfter)
    const { buckets, retained } = layout
    const months = touched && buckets > 1 ? touched : await layOutMonths(workspace, batch, parent, layout)
    checkRetained([...retained, ...(months?.retained ?? [])], paths)
    await linkMonths(months?.retained ?? [], paths)
    const measure = async () => {
      const overlap = compared.difference?.overlap ?? null
      const received = await measureReceived(workspace, batch, parent, { incoming: writing.incoming, final: layout.final, overlap })
      const spans = { ...(await measureSpans(workspace, dataset, parent, layout, writing.slices)), received }
      return { spans, spansSha256: await writeSpans(stage, spans, workspace.parsed) }
    }
    const byKey = async () => {
      const drafts = await writeParts(workspace, dataset, byBucket(dataset, layout), stage)
      // Parts are synced and hashed while the engine measures rows.
      return allOver([installParts(drafts, paths), measure()])
    }
    // Sorts by key and by month one after the other, because memory may be too small for both.
    const before = retained.length > 0 ? undefined : await byKey()
    const inMonths = soon ?? (months ? byMonth(months) : Promise.resolve([]))
    const [[written, measured], monthly] = await allOver([before ? Promise.resolve(before) : byKey(), inMonths])
    const clustered = { buckets, parts: [...retained, ...written], ...measured }
    return months ? { ...clustered, months: inOrder([...months.retained, ...monthly]) } : clustered
  }
  const [clusterings] = await allOver([both(), soon ?? Promise.resolve([])])
  return clusterings
}
