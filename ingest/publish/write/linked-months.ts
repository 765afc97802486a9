import { existsSync } from 'node:fs'
import { copyFile, link, mkdir, open, rename } from 'node:fs/promises'
import { syncFolder } from '../../../src/core/index.ts'
import type { MonthPart, ReleasePaths } from '../../../src/releases/index.ts'

/**
 * Links months that an earlier version stored in `parts`. The files in `parts` are not deleted,
 * because releases of that version use them. After a crash, some links may be missing, but no
 * release needs them yet.
 *
 * @throws Error if a month is in neither folder
 */
export async function linkMonths(months: readonly MonthPart[], paths: ReleasePaths): Promise<void> {
  const unlinked = months.filter(({ sha256 }) => !existsSync(paths.month(sha256)))
  if (unlinked.length === 0) return
  await mkdir(paths.months, { recursive: true })
  for (const { sha256 } of unlinked) await linkOrCopy(paths.part(sha256), paths.month(sha256))
  await syncFolder(paths.months)
}

/** Copies the file if the file system has no hard links. */
async function linkOrCopy(file: string, target: string): Promise<void> {
  try {
    await link(file, target)
  } catch {
    const draft = `${target}.draft`
    await copyFile(file, draft)
    const handle = await open(draft, 'r+')
    await handle.sync()
    await handle.close()
    await rename(draft, target)
  }
}
