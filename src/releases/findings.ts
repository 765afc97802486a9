import { stat } from 'node:fs/promises'
import type { Damage } from './damage.ts'
import type { Part } from './manifest.ts'
import { fileVersion } from './mark.ts'
import { sha256Of } from './sha256.ts'

/** What was found of parts that were hashed, by their sha256. */
export function openFindings() {
  const good = new Set<string>()
  /** How the file stood when it was last found good. */
  const stood = new Map<string, string | undefined>()
  const bad = new Map<string, Damage>()
  /** Whose file was damaged, or another, since it was last found good. */
  const doubted = new Set<string>()
  const mended = new Map<string, number>()
  return {
    isGood: ({ sha256 }: Part): boolean => good.has(sha256),
    /** How many times a part was found good after there had been doubt about what was read of it. */
    mendings: ({ sha256 }: Part): number => mended.get(sha256) ?? 0,
    wasMended: (): boolean => mended.size > 0,
    /** Hashes a part, but for a file that was found damaged and is still the same. @returns what is wrong with it */
    async look(part: Part, file: string): Promise<Damage | undefined> {
      const { sha256 } = part
      const [mark, known] = [fileVersion(file), bad.get(sha256)]
      if (known && mark !== undefined && known.mark === mark) return known
      const said = await wrongWith(part, file)
      if (said === undefined) {
        good.add(sha256)
        stood.set(sha256, mark)
        if (doubted.delete(sha256)) mended.set(sha256, (mended.get(sha256) ?? 0) + 1)
        return undefined
      }
      const damage = { said, file, mark }
      bad.set(sha256, damage)
      doubted.add(sha256)
      return damage
    },
    /** What was read of a part does not count as good if its file is another than was hashed. */
    doubt({ sha256 }: Part, file: string): void {
      if (stood.has(sha256) && stood.get(sha256) !== fileVersion(file)) doubted.add(sha256)
    },
    forget({ sha256 }: Part): void {
      good.delete(sha256)
      bad.delete(sha256)
    },
  }
}

async function wrongWith(part: Part, file: string): Promise<string | undefined> {
  const size = await stat(file).then(
    ({ size }) => size,
    () => undefined,
  )
  if (size === undefined) return `part ${part.sha256} is missing`
  if (size !== part.bytes) return `part ${part.sha256} has ${size} bytes instead of ${part.bytes}`
  const found = await sha256Of(file).catch(() => undefined)
  if (found === undefined) return `part ${part.sha256} cannot be read`
  return found === part.sha256 ? undefined : `part ${part.sha256} does not match its sha256`
}
