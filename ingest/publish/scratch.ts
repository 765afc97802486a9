import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isAlive } from './process.ts'

/** Names of this process's folders: after a restart in a container, what another process left can bear our own number. */
const own = new Set<string>()

export interface Scratch {
  readonly path: string
  remove(): void
}

/** A folder of one's own in `tmp` of the data folder, named by the process; those that killed processes left there are removed first. */
export function openScratch(dataDir: string): Scratch {
  const home = join(dataDir, 'tmp')
  mkdirSync(home, { recursive: true })
  sweep(home)
  const path = mkdtempSync(join(home, `${process.pid}-`))
  own.add(basename(path))
  return {
    path,
    remove() {
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

/** What another user left may not be ours to remove; it stands in nobody's way. */
function removeLeft(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {}
}
