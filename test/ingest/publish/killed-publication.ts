import { once } from 'node:events'
import { watch } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { releasePaths } from '../../../src/releases/index.ts'
import { startTwmd } from '../../fixtures/cli/twmd.ts'

/**
 * Starts `twmd publish` and kills it some time after its nth change of the dataset's folder.
 *
 * @returns whether the kill came before its end
 */
export async function publicationKilledAt(
  s: { readonly dir: string; readonly workspace: { readonly releases: string } },
  slug: string,
  file: string,
  { nth, afterMs }: { readonly nth: number; readonly afterMs: number },
): Promise<boolean> {
  const { home, parts } = releasePaths(s.workspace.releases, slug)
  const child = startTwmd(s.dir, ['publish', slug, file])
  let changes = 0
  const count = async (): Promise<void> => {
    if (++changes !== nth) return
    // Delay of the kill after the change. 0 for a kill right at the change.
    if (afterMs > 0) await sleep(afterMs)
    child.kill('SIGKILL')
  }
  const watchers = [home, parts].map(folder => watch(folder, () => void count()))
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null]
  for (const watcher of watchers) watcher.close()
  return signal === 'SIGKILL'
}
