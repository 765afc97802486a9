import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { basename, join } from 'node:path'
import { type Catalog, loadCatalog } from '../../../catalog/index.ts'
import { type Clock, isAlive, type Stopwatch } from '../../../src/core/index.ts'
import { type Engine, isOutOfMemory, literal, openEngine, type Session } from '../../../src/engine/index.ts'
import { createParsedFiles, type ParsedFiles } from '../../../src/releases/index.ts'
import { type CaptureJournal, createCaptureJournal } from '../check/captures.ts'

/** Engine and folders of publications. The service has an engine of its own. */
export interface Workspace {
  readonly catalog: Catalog
  readonly session: Session
  /** A second session with the same tables, so that two statements can write at the same time. */
  readonly secondSession: Session
  readonly clock: Clock
  readonly releases: string
  readonly quarantine: string
  readonly quarantineBounds: QuarantineBounds
  /**
   * Folder with the rows of interrupted runs over many files. The next run with the same files
   * continues with these rows.
   */
  readonly staging: string
  readonly captures: string
  readonly journal: CaptureJournal
  /** Cache of manifests and spans. */
  readonly parsed: ParsedFiles
  /**
   * Folder of this workspace only, because two engines would overwrite each other's files. The
   * folder is removed on close, or by the next workspace after a crash.
   */
  readonly scratch: string
  /** Called at the end of each publication. Must not throw. */
  readonly published?: ((publication: EndedPublication) => void) | undefined
  /**
   * If the engine runs out of memory, repeats the work with maximum memory. Does not repeat the
   * work if the operator set a limit.
   */
  withinMemory<T>(work: () => Promise<T>): Promise<T>
  /**
   * Returns a second workspace with the same engine but separate tables, so that two datasets can
   * be published concurrently. Closing this workspace also closes the second one.
   */
  lane(): Promise<Workspace>
  close(): void
}

export interface EndedPublication {
  readonly dataset: string
  readonly status: 'published' | 'unchanged' | 'refused' | 'failed'
  readonly release: string | null
  /** Start in ms, on a monotonic clock. `ms` is the duration. */
  readonly since: number
  readonly ms: number
  /** Duration of each stage in ms, in order. */
  readonly stages: Stopwatch['laps']
}

/** Limits of the quarantine. Above a limit, the oldest files are deleted. */
export interface QuarantineBounds {
  /** Bytes of the files, without their reports. */
  readonly bytes: number
  readonly days: number
}

const QUARANTINE_BOUNDS: QuarantineBounds = { bytes: 1024 * 2 ** 20, days: 90 }

/**
 * Initial memory limit of the engine. Larger tables spill to disk, which is not slower because
 * disk and processor work concurrently. Publishing 6.6 million rows takes less than 1 GB,
 * including the process.
 */
const FIRST_MEMORY = '400MB'

/** Half of the machine's memory, from 1 to 6 GB. */
const memoryOfMachine = (): string => `${Math.max(1, Math.min(6, Math.floor(totalmem() / 2 ** 31)))}GB`

/**
 * Opens an engine that spills to the data folder. Tables are deleted on close.
 *
 * @param published function to call at the end of each publication
 * @param memoryLimit for example `2GB`; by default, the limit starts low and rises if necessary
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
  const opening = openEngine({ threads: availableParallelism(), memoryLimit: memoryLimit ?? FIRST_MEMORY, spillTo: scratch.path })
  const [duck, catalog]: [Engine, Catalog] = await Promise.all([opening, loadCatalog()])
  const shared = {
    catalog,
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
  /** @param schema schema of the lane's tables; default: the main schema of the engine */
  const openLane = async (schema?: string) => {
    const [session, secondSession] = [await duck.connect(schema), await duck.connect(schema)]
    sessions.push(session, secondSession)
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
    return { ...shared, session, secondSession, withinMemory }
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

/**
 * Folders of this process. A pid is not enough: after a restart in a container, the folder of a
 * dead process may have the pid of this process in its name.
 */
const own = new Set<string>()

export interface Scratch {
  readonly path: string
  close(): void
}

/** Creates a folder named by the pid. Removes folders of killed processes. */
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

/** Removes a folder. Ignores folders of other users, which are harmless. */
function removeLeft(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch (error) {
    if (!/^(EACCES|EPERM)$/.test(String((error as NodeJS.ErrnoException).code))) throw error
  }
}
