import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { type InboxEvent, watchInbox } from '../../../ingest/inbox/index.ts'
import type { Workspace } from '../../../ingest/publish/index.ts'
import { openTestWorkspace, type TestService } from '../../support.ts'

/** The inbox of a test's data folder. */
export interface TestInbox {
  /**
   * Writes a file elsewhere and renames it into the inbox, as the documentation recommends.
   *
   * @param place path in the inbox, such as `trading-calendar/a.csv`
   * @returns its path
   */
  drop(place: string, content: string | Uint8Array): string
  /**
   * Imports the complete files once.
   *
   * @returns the reported events
   */
  once(options?: { readonly settleMs?: number }): Promise<readonly InboxEvent[]>
  /** Paths of all files below a folder of the data folder. */
  files(folder: 'inbox' | 'archive' | 'quarantine'): readonly string[]
}

/** @param s a service or a publisher; a service serves the new releases when `once` returns */
export function inboxOf(s: Pick<TestService, 'dir' | 'now'> & { readonly releases?: { refresh(): Promise<void> } }): TestInbox {
  return {
    drop(place, content) {
      const [path, draft] = [join(s.dir, 'inbox', place), join(s.dir, 'draft')]
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(draft, content)
      renameSync(draft, path)
      return path
    },
    async once({ settleMs = 50 } = {}) {
      const events: InboxEvent[] = []
      await watchInbox({ ...optionsOf(s, settleMs, events), once: true, signal: new AbortController().signal })
      await s.releases?.refresh()
      return events
    },
    files(folder) {
      const root = join(s.dir, folder)
      return readdirSync(root, { recursive: true, withFileTypes: true })
        .filter(entry => !entry.isDirectory() && !entry.name.startsWith('.watching'))
        .map(entry => relative(root, join(entry.parentPath, entry.name)))
        .sort()
    },
  }
}

const optionsOf = (s: Pick<TestService, 'dir' | 'now'>, settleMs: number, events: InboxEvent[]) => ({
  dataDir: s.dir,
  clock: s.now,
  settleMs,
  report: (event: InboxEvent) => void events.push(event),
  async withWorkspace(work: (workspace: Workspace) => Promise<void>) {
    const workspace = await openTestWorkspace(s.dir, s.now)
    try {
      await work(workspace)
    } finally {
      workspace.close()
    }
  },
})

/** A running watcher of a test's inbox, and the events that it reported. */
export function watched(s: Pick<TestService, 'dir' | 'now'>, settleMs: number) {
  const events: InboxEvent[] = []
  const stopping = new AbortController()
  const ended = watchInbox({ ...optionsOf(s, settleMs, events), once: false, signal: stopping.signal })
  return {
    events: events as readonly InboxEvent[],
    stop(): Promise<void> {
      stopping.abort()
      return ended
    },
  }
}

/** Outcome by file name. For a refusal, the rule that was broken. */
export const outcomesOf = (events: readonly InboxEvent[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    events.flatMap(event => {
      if (event.kind === 'taken') return event.files.map(({ file, outcome, rule }) => [file, rule ?? outcome])
      return event.kind === 'left' ? [[event.file, 'left']] : []
    }),
  )

/** Publications of datasets, in order, with their status. */
export const publicationsOf = (events: readonly InboxEvent[]) =>
  events.flatMap(event =>
    event.kind === 'taken' ? event.publications.map(({ dataset, outcome }) => [dataset, outcome.status] as const) : [],
  )
