import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Names of files in one folder that processes use, each told by a file of its process, a line a name. */
export interface HeldNames {
  /** Tells which files this process uses, once more after a while. @throws what writing throws */
  tell(names: Iterable<string>): Promise<void>
  /** Those that other processes told of late. Files of processes that ended without a word are removed after a while. */
  ofOthers(listed: readonly string[]): Promise<ReadonlySet<string>>
  /** True for the name of a file that tells names. */
  isTold(name: string): boolean
  /** Takes back what was told. */
  close(): void
}

const ENDING = '.held'
/** How often names are told anew, and for how long what was told holds: a process may be busy for minutes. */
const [RENEW_MS, HOLD_MS] = [120_000, 900_000]

export function createHeldNames(folder: string): HeldNames {
  const own = `.${randomUUID()}${ENDING}`
  let [told, toldAt] = ['', Number.NEGATIVE_INFINITY]
  return {
    async tell(names) {
      const text = [...names].join('\n')
      if (text === told && performance.now() - toldAt < RENEW_MS) return
      const draft = join(folder, `.${randomUUID()}`)
      try {
        await writeFile(draft, text)
        await rename(draft, join(folder, own))
      } catch (error) {
        await rm(draft, { force: true }).catch(() => {})
        throw error
      }
      ;[told, toldAt] = [text, performance.now()]
    },
    async ofOthers(listed) {
      const held = new Set<string>()
      for (const name of listed) {
        if (!name.endsWith(ENDING) || name === own) continue
        const path = join(folder, name)
        const file = await stat(path).catch(() => undefined)
        if (!file) continue
        if (Math.abs(Date.now() - file.mtimeMs) > HOLD_MS) await rm(path, { force: true })
        else for (const one of (await readFile(path, 'utf8').catch(() => '')).split('\n')) held.add(one)
      }
      return held
    },
    isTold: name => name.endsWith(ENDING),
    close() {
      try {
        rmSync(join(folder, own), { force: true })
      } catch {
        // It holds for some minutes more then.
      }
    },
  }
}
