import { type Catalog, creditsOfRows, type Dataset } from '../../../catalog/index.ts'
import { type Grant, Refusal } from '../../core/index.ts'
import { type FileBytes, OPEN_FILE_BYTES, openFileBytes, type Releases, type RetainedFile } from '../../releases/index.ts'
import { type Call, type Charge, type MeterDeps, metered } from '../read/metering.ts'
import { requireDataset } from '../read/require-dataset.ts'

export interface FileReader extends Grant {
  /** True if the caller uses a signed URL. */
  readonly isSigned: boolean
}

export interface FileDeps extends MeterDeps {
  readonly catalog: Catalog
  readonly releases: Releases
}

export interface FileInput {
  readonly slug: string
  readonly sha256: string
  readonly isKnown: (sha256: string) => boolean
  /**
   * Null for the whole file.
   * @param size size of the file in bytes
   * @throws Refusal range_not_satisfiable
   */
  readonly rangeOf: (size: number) => { readonly from: number; readonly bytes: number } | null
}

export interface FileAnswer {
  readonly sha256: string
  /** Bytes of the whole file. */
  readonly size: number
  /** Null for the whole file. */
  readonly range: { readonly from: number; readonly bytes: number } | null
  /** Null if the caller already has the file or requested only headers. */
  readonly body: FileBytes | null
  /** Absent if the read was free. */
  readonly charge?: Charge
}

/**
 * Reads a Parquet file of a stored release.
 * @throws Refusal unknown_dataset, plan_required, unknown_id, range_not_satisfiable,
 * credits_exhausted, integrity, concurrency_limited, overloaded
 */
export type ReadFile = (caller: FileReader, input: FileInput, call: Call) => Promise<FileAnswer>

export function createReadFile(deps: FileDeps): ReadFile {
  const { catalog, releases, gate } = deps
  return async (caller, { slug, sha256, isKnown, rangeOf }, call) => {
    const dataset = requireDataset(catalog, slug)
    // Each file has only one URL, so other names of the dataset are refused.
    if (dataset.slug !== slug) throw new Refusal('unknown_dataset', { did_you_mean: dataset.slug })
    gate.checkPlan(caller, dataset)
    const { file, path } = await releases.retainedFile(dataset, sha256)
    const withoutBody = { sha256, size: file.bytes, range: null, body: null }
    if (isKnown(sha256)) return withoutBody
    const range = rangeOf(file.bytes)
    if (call.planOnly) return { ...withoutBody, range }
    const segment = { path, dataset, file, ...(range ?? { from: 0, bytes: file.bytes }) }
    return { ...withoutBody, range, ...(await (caller.isSigned ? readSigned : readByKey)(deps, caller, segment, call)) }
  }
}

interface FileSegment {
  readonly dataset: Dataset
  readonly file: RetainedFile['file']
  readonly path: string
  readonly from: number
  readonly bytes: number
}

type SegmentReader = (deps: FileDeps, caller: Grant, segment: FileSegment, call: Call) => Promise<Pick<FileAnswer, 'body' | 'charge'>>

/** Free, because the signed URL was already charged. */
const readSigned: SegmentReader = async ({ gate, log }, caller, segment, call) => {
  const slot = await gate.acquireSlot(caller, { bytes: memoryOf(segment) })
  try {
    const body = await openSegment(segment, call)
    const { dataset, file, bytes } = segment
    const facts = {
      request_id: call.requestId,
      dataset: dataset.slug,
      file: file.sha256,
      account: caller.accountId,
      key: caller.keyId,
      bytes,
    }
    void body.ended.then(failure => {
      slot.end()
      if (failure === null || call.isDisconnected()) log('read', { ...facts, ms: call.time.laps })
      else log('failed', { ...facts, error: String(failure) })
    })
    return { body }
  } catch (error) {
    slot.end()
    throw error
  }
}

/** Charges for all rows in the file. A range costs a proportional share. */
const readByKey: SegmentReader = (deps, caller, segment, call) =>
  metered(deps, caller, segment.dataset, call, async meter => {
    const { dataset, file } = segment
    const rows = Math.ceil((file.rows * segment.bytes) / file.bytes)
    const bytes = memoryOf(segment)
    await meter.begin({ bytes, credits: creditsOfRows(dataset, caller.plan, rows) })
    const body = await openSegment(segment, call)
    const charge = await meter.settle({ rows, bytes })
    return { body, charge }
  })

const memoryOf = ({ bytes }: FileSegment): number => Math.min(bytes, OPEN_FILE_BYTES)

async function openSegment({ path, from, bytes }: FileSegment, { onSent }: Call): Promise<FileBytes> {
  const body = await openFileBytes(path, from, bytes)
  onSent?.(body.cancel)
  return body
}
