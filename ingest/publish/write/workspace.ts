import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { basename, join } from 'node:path'
import { type Catalog, loadCatalog } from '../../../catalog/index.ts'
import { type Clock, isAlive, type Stopwatch } from '../../../src/core/index.ts'
import { type Engine, isOutOfMemory, literal, openEngine, type Session } from '../../../src/engine/index.ts'
import { createParsedFiles, type ParsedFiles } from '../../../src/releases/index.ts'
import { type CaptureJournal, createCaptureJournal } from '../check/captures.ts'

/** What a publication works with: an engine of its own, apart from the server's, and the folders it may write. */
export interface Workspace {
  readonly catalog: Catalog
  readonly session: Session
  /** A second session on the same tables, for what is written beside the first. */
  readonly beside: Session
  readonly clock: Clock
  readonly releases: string
  readonly quarantine: string
  readonly quarantineBounds: QuarantineBounds
  /** Rows of interrupted runs over many files, for the next run to go on with. */
  readonly staging: string
  /** Folder of the capture journals and the join log. */
  readonly captures: string
  readonly journal: CaptureJournal
  /** Manifests and spans it read or wrote, so that the next publication does not parse what this one made. */
  readonly parsed: ParsedFiles
  /** This workspace's own folder: two engines that spill into one folder overwrite each other. Removed on close, or by the next workspace after a crash. */
  readonly scratch: string
  /** Told of every publication that ends. Must not throw. */
  readonly published?: ((publication: EndedPublication) => void) | undefined
  /**
   * Runs work, and runs it again from its beginning where the engine ran out of memory: from then on it may have all there is for it. Not
   * done where the operator named a limit.
   */
  withinMemory<T>(work: () => Promise<T>): Promise<T>
  /**
   * Another lane of this workspace, opened once: the same folders and engine, with tables of its own, so that two datasets are published at
   * once. Closed with the workspace.
   */
  lane(): Promise<Workspace>
  close(): void
}

/** A publication that ended. */
export interface EndedPublication {
  /** Slug. */
  readonly dataset: string
  /** `failed` where it threw. */
  readonly status: 'published' | 'unchanged' | 'refused' | 'failed'
  readonly release: string | null
  /** When it began, by the process's monotonic clock, and how long it took, in milliseconds. */
  readonly since: number
  readonly ms: number
  /** Milliseconds by stage, in order. */
  readonly stages: Stopwatch['laps']
}

/** How much the quarantine keeps: the oldest leave beyond either bound. */
export interface QuarantineBounds {
  /** Of the files, without their reports. */
  readonly bytes: number
  readonly days: number
}

const QUARANTINE_BOUNDS: QuarantineBounds = { bytes: 1024 * 2 ** 20, days: 90 }

/**
 * What the engine begins with: beyond it, it puts tables on disk, which takes no longer, since the disk works beside the processor. With
 * what the process itself holds, publishing 6.6 million rows stays below a gigabyte.
 */
const FIRST_MEMORY = '400MB'

/** What it may have where that is not enough: half of the machine's memory, from 1 to 6 GB. */
const memoryOfMachine = (): string => `${Math.max(1, Math.min(6, Math.floor(totalmem() / 2 ** 31)))}GB`

/**
 * Opens an engine with scratch space inside the data folder. Tables it makes live in memory, on disk as far as they outgrow it, and vanish
 * with it.
 *
 * @param published told of every publication that ends
 * @param memoryLimit of the engine, for example `2GB`; where absent it begins with little and gets more when that is not enough
 */
export async function openWorkspace(
  dataDir: string,
  clock: Clock = () => new Date(),
  quarantineBounds: QuarantineBounds = QUARANTINE_BOUNDS,
  memoryLimit?: string,
  published?: Workspace['published'],
): Promise<Workspace> {
  const folders = { releases: join(dataDir, 'releases'), quarantine: join(dataDir, 'quarantine'), captures: join(dataDir, 'captures') }
  for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true })
  const scratch = openScratch(dataDir)
  const duck: Engine = await openEngine({
    threads: availableParallelism(),
    memoryLimit: memoryLimit ?? FIRST_MEMORY,
    spillTo: scratch.path,
  })
  const shared = {
    catalog: await loadCatalog(),
    clock,
    ...folders,
    quarantineBounds,
    staging: join(dataDir, 'staging'),
    journal: createCaptureJournal(folders.captures),
    parsed: createParsedFiles(),
    scratch: scratch.path,
    published,
  }
  let mayGrow = memoryLimit === undefined
  const sessions: Session[] = []
  /** @param schema of its tables; the engine's own where absent */
  const openLane = async (schema?: string) => {
    const [session, beside] = [await duck.connect(schema), await duck.connect(schema)]
    sessions.push(session, beside)
    const withinMemory = async <T>(work: () => Promise<T>): Promise<T> => {
      const mayHaveGrown = mayGrow
      try {
        return await work()
      } catch (error) {
        if (!mayHaveGrown || !isOutOfMemory(error)) throw error
        mayGrow = false
        await session.run(`SET GLOBAL memory_limit = ${literal(memoryOfMachine())}`)
        return work()
      }
    }
    return { ...shared, session, beside, withinMemory }
  }
  let second: Promise<Workspace> | undefined
  const workspace: Workspace = {
    ...(await openLane()),
    lane: () => (second ??= openLane('lane').then(lane => ({ ...workspace, ...lane }))),
    close() {
      for (const session of sessions) session.close()
      duck.close()
      scratch.close()
    },
  }
  return workspace
}

/** Names of this process's folders. After a restart in a container a dead process's folder can carry our own pid. */
const own = new Set<string>()

export interface Scratch {
  readonly path: string
  close(): void
}

/** Creates a folder named by the pid in `tmp` of the data folder, after removing those that killed processes left. */
export function openScratch(dataDir: string): Scratch {
  const home = join(dataDir, 'tmp')
  mkdirSync(home, { recursive: true })
  sweep(home)
  const path = mkdtempSync(join(home, `${process.pid}-`))
  own.add(basename(path))
  return {
    path,
    close() {
      rmSync(path, { recursive: true, force: true })
      own.delete(basename(path))
    },
  }
}

function sweep(home: string): void {
  for (const name of readdirSync(home)) {
    const [, pid] = /^(\d+)-\w{6}$/.exec(name) ?? []
    if (pid !== undefined && !own.has(name) && !isAlive(Number(pid))) removeLeft(join(home, name))
  }
}

/** Removes a leftover folder. One of another user stays, which does no harm. */
function removeLeft(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch (error) {
    if (!/^(EACCES|EPERM)$/.test(String((error as NodeJS.ErrnoException).code))) throw error
  }
}
