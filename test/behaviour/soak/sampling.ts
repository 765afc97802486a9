import { readdirSync, readFileSync, type Stats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Life } from './running.ts'

/**
 * Measurements of the service at one time, in bytes except for counts. Null if the system does not
 * report a value.
 */
export interface Sample {
  /** Milliseconds since the start of the soak. */
  readonly at: number
  readonly life: number
  /** Milliseconds since the start of this life of the service. */
  readonly age: number
  readonly rss: number
  readonly heap: number
  readonly external: number
  readonly descriptors: number | null
  readonly threads: number | null
  /** RSS (resident memory) of the process that publishes. */
  readonly publisherRss: number | null
  /** Size of the whole data folder. */
  readonly disk: number
  readonly state: number
  readonly wal: number
  /** Maximum event loop delay since the previous sample, in milliseconds. */
  readonly lateMs: number
}

/**
 * Time limit for a request of the metrics in milliseconds. It is long, because a delay due to a
 * loaded machine is part of the sample.
 */
const PATIENCE_MS = 60_000

/**
 * @param began by `performance.now()`
 * @throws Error if the service does not answer or a required measurement is missing
 */
export async function takeSample(life: Life, dataDir: string, began: number): Promise<Sample> {
  const text = await (await fetch(life.metrics, { signal: AbortSignal.timeout(PATIENCE_MS) })).text()
  const figure = (name: string): number | undefined => {
    const record = text.split('\n').find(one => one.startsWith(`${name} `))
    return record === undefined ? undefined : Number(record.slice(name.length + 1))
  }
  const needed = (name: string): number => {
    const value = figure(name)
    if (value === undefined || Number.isNaN(value)) throw new Error(`the service does not tell ${name}`)
    return value
  }
  const now = performance.now()
  const [disk, state, wal] = await Promise.all([
    bytesUnder(dataDir),
    sizeOf(join(dataDir, 'state.sqlite')),
    sizeOf(join(dataDir, 'state.sqlite-wal')),
  ])
  return {
    at: now - began,
    life: life.number,
    age: now - life.began,
    rss: needed('process_resident_memory_bytes'),
    heap: needed('twmd_heap_used_bytes'),
    external: needed('twmd_external_bytes'),
    descriptors: figure('process_open_fds') ?? null,
    threads: orNull(() => readdirSync(`/proc/${life.pid}/task`).length),
    publisherRss: orNull(() => life.children().reduce((sum, pid) => sum + rssOf(pid), 0)),
    disk,
    state,
    wal,
    lateMs: needed('twmd_event_loop_delay_seconds{q="1"}') * 1_000,
  }
}

function orNull(read: () => number): number | null {
  try {
    return read()
  } catch {
    return null
  }
}

const rssOf = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024

const sizeOf = async (file: string): Promise<number> => (await statOf(file))?.size ?? 0

/** Null for a missing file, because files are created and deleted during the scan. */
const statOf = (file: string): Promise<Stats | null> => stat(file).catch(() => null)

async function bytesUnder(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const sizes = await Promise.all(
    entries.map(entry => (entry.isDirectory() ? bytesUnder(join(folder, entry.name)) : sizeOf(join(folder, entry.name)))),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
