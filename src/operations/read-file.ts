import type { Catalog, Dataset } from '../../catalog/index.ts'
import { type Grant, ofDataset, Refusal } from '../core/index.ts'
import { datasetNamed } from '../discovery/index.ts'
import { type FileBytes, OPEN_FILE_BYTES, openFileBytes, type Releases } from '../releases/index.ts'
import type { Call, MeterDeps } from './metering.ts'

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
}

/**
 * Reads a file of rows of a kept release.
 *
 * @throws Refusal unknown_dataset, plan_required, unknown_id, range_not_satisfiable, integrity, concurrency_limited, overloaded
 */
export type ReadFile = (caller: FileReader, input: FileInput, call: Call) => Promise<FileAnswer>

export function createReadFile({ catalog, releases, gate, log }: FileDeps): ReadFile {
  return async (caller, { slug, sha256, isKnown, rangeOf }, call) => {
    const dataset = soldDataset(catalog, slug)
    gate.checkPlan(caller, dataset)
    const { file, path } = await releases.keptFile(dataset, sha256)
    const whole = { sha256, size: file.bytes, range: null, body: null }
    if (isKnown(sha256)) return whole
    const range = rangeOf(file.bytes)
    if (call.headersOnly) return { ...whole, range }
    const { from, bytes } = range ?? { from: 0, bytes: file.bytes }
    const turn = await gate.takeTurn(caller, { bytes: Math.min(bytes, OPEN_FILE_BYTES) })
    try {
      const body = await openFileBytes(path, from, bytes)
      call.whenLeft?.(body.cancel)
      const facts = { request_id: call.requestId, dataset: slug, file: sha256, account: caller.accountId, key: caller.keyId, bytes }
      void body.over.then(failure => {
        turn.end()
        if (failure === null) log('read', { ...facts, ms: call.time.laps })
        else log('failed', { ...facts, error: String(failure) })
      })
      return { ...whole, range, body }
    } catch (error) {
      turn.end()
      throw error
    }
  }
}

/** @throws Refusal unknown_dataset for a name that is none, or of what is not sold by itself */
function soldDataset(catalog: Catalog, slug: string): Dataset {
  const dataset = datasetNamed(catalog, slug)
  if (dataset.access && dataset.slug === slug) return dataset
  throw new Refusal('unknown_dataset', ofDataset(dataset))
}
