import { hash, randomUUID } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { endianness } from 'node:os'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { type Dataset, defaultOrder } from '../../catalog/index.ts'
import type { Log } from '../core/index.ts'
import type { Block } from './block.ts'
import { createHeldNames } from './held-names.ts'
import { Damaged, fileOf, type Index, ROWS_ON_DISK, readRun } from './row-file.ts'
import { blockOfBytes } from './run-bytes.ts'

/** A part of a served release. */
export interface KeptPart {
  readonly dataset: Dataset
  readonly part: { readonly sha256: string }
}

/**
 * The newest rows of every key on disk, in the form in which memory holds them, a file a part: what is not in memory is then one small read
 * away. All of it is made from parts, and made again where it was lost or damaged.
 */
export interface RowFiles {
  /**
   * The first rows of a key in the default order, proven by their sha256, as a block of that key alone.
   *
   * @returns null where the part has no row of the key, undefined where that is not known: nothing is kept of it, or it is damaged
   */
  find(dataset: Dataset, sha256: string, key: string): Block | null | undefined
  /**
   * Writes what is missing of these parts, as far as there is room, and removes what is of no other one, here or in another process on the
   * same folder, which may serve other releases. A crash leaves a file that nobody
   * reads, and one that a power cut left half written does not match its sha256. Failures are logged.
   *
   * @param blockFor of each key of a part at least the rows to be written; undefined where they cannot be read now
   */
  keep<P extends KeptPart>(parts: readonly P[], blockFor: (part: P) => Promise<Block | undefined>, ending: AbortSignal): Promise<void>
  /** Of how many of these parts rows are kept. */
  count(parts: Iterable<KeptPart>): number
  /** Lets other processes remove what was kept for this one alone. To be called when nothing is kept any more. */
  close(): void
}

export interface RowFilesOptions {
  /** Made with the first file, in a folder that is there. */
  readonly folder: string
  /** What the files may take of the disk. */
  readonly mostBytes: number
  readonly log: Log
}

/** Of the bytes of a file. */
const VERSION = 1
/** Parts of more keys have few rows of each, and files of them would be many times larger. */
const MOST_KEYS = 4_096
/** Keys whose places are remembered, some 200 bytes each. */
const PLACES_IN_MEMORY = 65_536
/** How long files stay that are of no form of this program: those of another version of it, or of one that was killed while it wrote. */
const FOREIGN_MS = 86_400_000
/** How long the disk is left alone once it failed. */
const RETRY_MS = 600_000

export function openRowFiles({ folder, mostBytes, log }: RowFilesOptions): RowFiles {
  /** Bytes by name of the files that are there; 0 where they were not looked at yet. */
  const files = new Map(namesIn(folder).map(name => [name, 0]))
  const indexes = new LRUCache<string, Index>({ maxSize: PLACES_IN_MEMORY, sizeCalculation: ({ places }) => places.size + 1 })
  /** Those of parts with too many keys. */
  const unfit = new Set<string>()
  let [isFull, retryAt] = [false, 0]
  const held = createHeldNames(folder)
  const forget = (name: string): void => {
    files.delete(name)
    indexes.delete(name)
    isFull = false
  }
  const discard = (name: string): void => {
    try {
      rmSync(join(folder, name), { force: true })
    } catch {
      // Where nothing may be removed it is looked at again after the next listing.
    }
  }
  const readFrom = (name: string, key: string): ReturnType<typeof readRun> => {
    try {
      return readRun(join(folder, name), indexes.get(name), key)
    } catch (error) {
      // Another process may have written the file anew since its index was read.
      if (!(error instanceof Damaged && indexes.delete(name))) throw error
      return readRun(join(folder, name), undefined, key)
    }
  }
  const tidy = async (wanted: ReadonlySet<string>, forms: ReadonlySet<string>): Promise<void> => {
    await held.tell(wanted)
    const found = await readdir(folder)
    const elsewhere = await held.ofOthers(found)
    const there = new Set(found)
    for (const name of files.keys()) if (!there.has(name)) forget(name)
    for (const name of unfit) if (!wanted.has(name)) unfit.delete(name)
    for (const name of found) {
      if (held.isTold(name) || (wanted.has(name) && files.get(name))) continue
      const file = await stat(join(folder, name)).catch(() => undefined)
      if (!file) continue
      const isOurs = forms.has(name.slice(SHA256_LENGTH + 1))
      if (!wanted.has(name) && !elsewhere.has(name) && (isOurs || Date.now() - file.mtimeMs > FOREIGN_MS)) {
        await rm(join(folder, name), { force: true })
        forget(name)
      } else files.set(name, file.size)
    }
  }
  const write = async (name: string, block: Block): Promise<void> => {
    const bytes = await fileOf(block)
    const taken = [...files.values()].reduce((sum, size) => sum + size, 0)
    isFull = taken + bytes.length > mostBytes
    if (isFull) return
    const draft = join(folder, `.${randomUUID()}`)
    try {
      await writeFile(draft, bytes)
      await rename(draft, join(folder, name))
    } catch (error) {
      await rm(draft, { force: true }).catch(() => {})
      throw error
    }
    indexes.delete(name)
    files.set(name, bytes.length)
  }
  return {
    find(dataset, sha256, key) {
      const name = nameOf(dataset, sha256)
      if (!files.has(name)) return undefined
      try {
        const { index, place, bytes } = readFrom(name, key)
        indexes.set(name, index)
        return bytes ? blockOfBytes(bytes, { key, names: formOf(dataset).names, complete: place![3] === 1 }) : null
      } catch (error) {
        if (error instanceof Damaged) discard(name)
        forget(name)
        return undefined
      }
    },
    async keep(parts, blockFor, ending) {
      if (ending.aborted || performance.now() < retryAt) return
      try {
        await mkdir(folder).catch(unlessThere)
        const wanted = new Map(parts.map(part => [nameOf(part.dataset, part.part.sha256), part]))
        await tidy(new Set(wanted.keys()), new Set(parts.map(({ dataset }) => formOf(dataset).form)))
        for (const [name, part] of wanted) {
          if (ending.aborted || isFull) return
          if (files.has(name) || unfit.has(name)) continue
          const block = await blockFor(part)
          if (!block) continue
          if (block.runs.size > MOST_KEYS) unfit.add(name)
          else await write(name, block)
        }
      } catch (error) {
        retryAt = performance.now() + RETRY_MS
        // A service that may only read the folder goes without.
        if (!['EROFS', 'EACCES', 'EPERM'].includes(codeOf(error))) log('failed', { during: 'keeping rows on disk', error: String(error) })
      }
    },
    count(parts) {
      let count = 0
      for (const { dataset, part } of parts) if (files.has(nameOf(dataset, part.sha256))) count++
      return count
    },
    close: held.close,
  }
}

const SHA256_LENGTH = 64

/** What decides which rows a file holds, and how: another declaration or version has other files. */
interface Form {
  readonly form: string
  /** Columns, in their order. */
  readonly names: readonly string[]
}

const forms = new WeakMap<Dataset, Form>()

function formOf(dataset: Dataset): Form {
  const known = forms.get(dataset)
  if (known) return known
  const columns = Object.entries(dataset.columns).map(([name, { type, virtual }]) => [name, type, virtual])
  const decides = [VERSION, endianness(), ROWS_ON_DISK, dataset.slug, dataset.key, defaultOrder(dataset), columns]
  const made = { form: hash('sha256', JSON.stringify(decides)).slice(0, 16), names: Object.keys(dataset.columns) }
  forms.set(dataset, made)
  return made
}

const nameOf = (dataset: Dataset, sha256: string): string => `${sha256}.${formOf(dataset).form}`

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ''

function unlessThere(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
