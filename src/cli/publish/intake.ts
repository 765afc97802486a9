import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { KeptFile } from '../../../ingest/intake/index.ts'
import { type Config, Refusal } from '../../core/index.ts'
import type { Intake, IntakeAccepted, IntakeFile } from '../../operations/index.ts'

/** Loaded on demand, because reads do not need these modules. */
async function loadModules() {
  const { loadCatalog } = await import('../../../catalog/index.ts')
  const { loadFeeds } = await import('../../../ingest/feeds/index.ts')
  const { findKept, keptFiles, settledFiles } = await import('../../../ingest/intake/index.ts')
  const { feedRuns } = await import('../../../ingest/schedule/index.ts')
  const { viewInbox } = await import('../../../ingest/inbox/index.ts')
  const { discardKept, rulesFor } = await import('../../../ingest/quarantine/index.ts')
  const [catalog, feeds] = [await loadCatalog(), await loadFeeds()]
  return { catalog, feeds, findKept, keptFiles, settledFiles, feedRuns, viewInbox, discardKept, rulesFor }
}

/**
 * Gives a service access to refused files, inbox and feeds. A child process publishes the files.
 */
export function openIntake({ dataDir, fetch }: Pick<Config, 'dataDir' | 'fetch'>): Intake {
  const root = join(dataDir, 'quarantine')
  let loading: ReturnType<typeof loadModules> | undefined
  const modules = (): ReturnType<typeof loadModules> => (loading ??= loadModules())
  const fileOf = async ({ id, for: name, file, bytes, refusedAt, path, faults }: KeptFile): Promise<IntakeFile> => {
    const { catalog, rulesFor } = await modules()
    return { id, for: name, file, bytes, refusedAt, hasCopy: path !== null, faults, acceptable: await rulesFor({ catalog }, name) }
  }
  return {
    async quarantine(most) {
      const { keptFiles, settledFiles } = await modules()
      const { count, files } = keptFiles(root, most)
      return { count, files: await Promise.all(files.map(fileOf)), settled: settledFiles(root).slice(0, most) }
    },
    async find(id) {
      const { findKept, settledFiles } = await modules()
      const [kept, settled] = [findKept(root, id), settledFiles(root).find(one => one.id === id) ?? null]
      return kept || settled ? { file: kept ? await fileOf(kept) : null, settled } : null
    },
    accept: (id, rules, date) => acceptInChild(dataDir, id, rules, date),
    async discard(id) {
      const { discardKept } = await modules()
      try {
        return discardKept(root, id, () => new Date())
      } catch (error) {
        if (error instanceof Refusal) return null
        throw error
      }
    },
    async inbox(most) {
      const { viewInbox } = await modules()
      return viewInbox(dataDir, most)
    },
    async feeds() {
      const { catalog, feeds, feedRuns } = await modules()
      const fetchable = [...feeds.values()].filter(feed => feed.fetch !== undefined)
      return feedRuns(dataDir, catalog, fetchable, fetch)
    },
    async feedTimes() {
      const { readScheduleState } = await import('../../../ingest/schedule/index.ts')
      return Object.entries(readScheduleState(dataDir)).map(([feed, { came_at = null, refused_at = null, tries }]) => ({
        feed,
        tries,
        cameAt: came_at,
        refusedAt: refused_at,
      }))
    },
  }
}

const PROGRAM = fileURLToPath(new URL('../index.ts', import.meta.url))
/** Number of characters from the end of the error output. */
const KEPT_WORDS = 2_000

/** Never rejects. The outcome is `failed` if the result is unreadable. */
async function acceptInChild(dataDir: string, id: string, rules: readonly string[], date: string | null): Promise<IntakeAccepted> {
  const options = [...(rules.length > 0 ? ['--accept', ...rules] : []), ...(date === null ? [] : ['--date', date])]
  try {
    const child = spawn(process.execPath, [PROGRAM, 'quarantine', 'accept', id, '--json', '--recorded', ...options], {
      env: { ...process.env, DATA_DIR: dataDir },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let [said, words] = ['', '']
    // A character may be split over two chunks.
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8')
    child.stdout.on('data', text => (said += text))
    child.stderr.on('data', text => (words = `${words}${text}`.slice(-KEPT_WORDS)))
    await once(child, 'close')
    return said === '' ? failed(id, words.trim()) : (JSON.parse(said) as IntakeAccepted)
  } catch (error) {
    return failed(id, (error as Error).message)
  }
}

const failed = (id: string, said: string): IntakeAccepted => ({ id, outcome: 'failed', said: said || 'The process ended without output.' })
