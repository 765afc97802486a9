import { releasePaths } from './manifest.ts'
import { fileVersion } from './mark.ts'

/** Tells whether `current` of a dataset was replaced since it was last looked at. */
export function openMarks(root: string) {
  const seen = new Map<string, string>()
  return {
    /** The mark of a file not looked at before; undefined where there is none, or it is the one that was looked at. */
    fresh(slug: string): string | undefined {
      const mark = fileVersion(releasePaths(root, slug).current)
      return mark === seen.get(slug) ? undefined : mark
    },
    /** Notes that the file of that mark is looked at. */
    see: (slug: string, mark: string): void => void seen.set(slug, mark),
    /** True once any was looked at, so that something was published. */
    hasSeen: (slug: string): boolean => seen.has(slug),
  }
}
