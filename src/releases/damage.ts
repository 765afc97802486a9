import { fileVersion } from './mark.ts'

/** A file of a release that is not what it should be. */
export interface Damage {
  readonly said: string
  readonly file: string
  /** How the file stood when it was looked at; undefined where there was none. */
  readonly mark: string | undefined
}

/** Keeps what was found damaged of each dataset, to be looked at again once its file is another. */
export function openDamages() {
  const found = new Map<string, readonly Damage[]>()
  return {
    /** Takes the place of what was found of the dataset before. */
    note(slug: string, damages: readonly Damage[]): void {
      if (damages.length === 0) found.delete(slug)
      else found.set(slug, [...new Map(damages.map(damage => [damage.file, damage])).values()])
    },
    /** True once a damaged file was written or replaced, or one that was missing is there: one `stat` each. */
    isMended: (slug: string): boolean => found.get(slug)?.some(({ file, mark }) => fileVersion(file) !== mark) ?? false,
  }
}
