import { type Catalog, creditsOfRows, type Dataset } from '../../../catalog/index.ts'
import { type Grant, Refusal } from '../../core/index.ts'
import { type FileBytes, OPEN_FILE_BYTES, openFileBytes, type Releases, type RetainedFile } from '../../releases/index.ts'
import { type Call, type Charge, type MeterDeps, metered } from '../read/metering.ts'
import { soldDataset } from '../read/sold-dataset.ts'

/** Who reads a file. */
export interface FileReader extends Grant {
  /** By a URL that was signed, which was paid for when it was given. */
  readonly isSigned: boolean
}

/** What reading files depends on. */
export interface FileDeps extends MeterDeps {
  readonly catalog: Catalog
  readonly releases: Releases
}

/** What is asked of a file. */
export interface FileInput {
  /** Slug of its dataset. */
  readonly slug: string
  readonly sha256: string
  /** True where the caller has the file already. */
  readonly isKnown: (sha256: string) => boolean
  /** The part that is wanted of so many bytes; null for all of it. @throws Refusal range_not_satisfiable */
  readonly rangeOf: (size: number) => { readonly from: number; readonly bytes: number } | null
}

/** A file, or a part of it. */
export interface FileAnswer {
  readonly sha256: string
  /** Of the whole file. */
  readonly size: number
  /** Null where all of it is sent. */
  readonly range: { readonly from: number; readonly bytes: number } | null
  /** Null where the caller has the file already, or wants headers only. */
  readonly body: FileBytes | null
  /** What it cost; absent where it cost nothing. */
  readonly charge?: Charge
}

/**
 * Reads a file of rows of a kept release.
 *
 * @throws Refusal unknown_dataset, plan_required, unknown_id, range_not_satisfiable, credits_exhausted, integrity, concurrency_limited, overloaded
 */
export type ReadFile = (caller: FileReader, input: FileInput, call: Call) => Promise<FileAnswer>

export function createReadFile(deps: FileDeps): ReadFile {
  const { catalog, releases, gate } = deps
  return async (caller, { slug, sha256, isKnown, rangeOf }, call) => {
    const dataset = soldDataset(catalog, slug)
    // A file has one name.
    if (dataset.slug !== slug) throw new Refusal('unknown_dataset', { did_you_mean: dataset.slug })
    gate.checkPlan(caller, dataset)
    const { file, path } = await releases.retainedFile(dataset, sha256)
    const whole = { sha256, size: file.bytes, range: null, body: null }
    if (isKnown(sha256)) return whole
    const range = rangeOf(file.bytes)
    if (call.planOnly) return { ...whole, range }
    const wanted = { path, dataset, file, ...(range ?? { from: 0, bytes: file.bytes }) }
    return { ...whole, range, ...(await (caller.isSigned ? readSigned : readByKey)(deps, caller, wanted, call)) }
  }
}

/** Bytes of a file that is found and may be read. */
interface Wanted {
  readonly dataset: Dataset
  readonly file: RetainedFile['file']
  readonly path: string
  readonly from: number
  readonly bytes: number
}

type Read = (deps: FileDeps, caller: Grant, wanted: Wanted, call: Call) => Promise<Pick<FileAnswer, 'body' | 'charge'>>

/** Paid for when the URL was given. */
const readSigned: Read = async ({ gate, log }, caller, wanted, call) => {
  const turn = await gate.takeTurn(caller, { bytes: memoryOf(wanted) })
  try {
    const body = await openWanted(wanted, call)
    const { dataset, file, bytes } = wanted
    const facts = {
      request_id: call.requestId,
      dataset: dataset.slug,
      file: file.sha256,
      account: caller.accountId,
      key: caller.keyId,
      bytes,
    }
    void body.ended.then(failure => {
      turn.end()
      if (failure === null || call.hasLeft()) log('read', { ...facts, ms: call.time.laps })
      else log('failed', { ...facts, error: String(failure) })
    })
    return { body }
  } catch (error) {
    turn.end()
    throw error
  }
}

/** Costs what the rows do, a range its share of them. */
const readByKey: Read = (deps, caller, wanted, call) =>
  metered(deps, caller, wanted.dataset, call, async meter => {
    const { dataset, file } = wanted
    const rows = Math.ceil((file.rows * wanted.bytes) / file.bytes)
    const bytes = memoryOf(wanted)
    await meter.begin({ bytes, credits: creditsOfRows(dataset, caller.plan, rows) })
    const body = await openWanted(wanted, call)
    const charge = await meter.settle({ rows, bytes })
    return { body, charge }
  })

const memoryOf = ({ bytes }: Wanted): number => Math.min(bytes, OPEN_FILE_BYTES)

/** Opens what is wanted; it is closed once the answer has left. */
async function openWanted({ path, from, bytes }: Wanted, { whenLeft }: Call): Promise<FileBytes> {
  const body = await openFileBytes(path, from, bytes)
  whenLeft?.(body.cancel)
  return body
}
