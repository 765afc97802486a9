import { type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import type { Words } from '../../src/core/index.ts'
import { BESIDE } from '../mappings/index.ts'

/** Something that lies in the inbox. */
export interface Found {
  readonly path: string
  /**
   * Folder of the inbox it is under: `daily-quotes`, `feeds/twse-t86`; empty for the inbox itself.
   */
  readonly place: string
  /** Path from there. */
  readonly file: string
  /** Null for a file; otherwise what it is instead, and what to do. */
  readonly fault: Words | null
  /** Changes whenever anything about the file does. */
  readonly mark: string
  /** Whoever wrote it says that it is whole: a file of its name and `.done` lies beside it. */
  readonly isDone: boolean
  /** It has bytes, and was renamed after the last of them was written. */
  readonly isMoved: boolean
  readonly modifiedAt: number
}

/**
 * Names that programs give to what they have not finished, hidden files, and the inbox's own marks.
 */
const NEVER_TAKEN = /^\.|\.(part|partial|tmp|temp|crdownload|filepart|download|swp|done|refused)$|~$/i

/** Ending of the mark that says a file is whole. */
export const DONE = '.done'

/** What a look found. */
export interface Look {
  /**
   * Everything that is to be taken, or told of, in order of its path. What vanishes meanwhile is
   * left out.
   */
  readonly found: readonly Found[]
  /** Every folder that was looked into. */
  readonly folders: readonly string[]
}

/** @param isMoved whether the system tells that a file was renamed in */
export function lookInto(inbox: string, isMoved: (path: string) => boolean): Look {
  const [found, folders]: [Found[], string[]] = [[], []]
  const walk = (folder: string, below: readonly string[]): void => {
    try {
      walkReadable(folder, below)
    } catch (error) {
      if (!isForbidden(error)) throw error
      found.push(unreadable(folder, below))
    }
  }
  const walkReadable = (folder: string, below: readonly string[]): void => {
    const entries = entriesOf(folder)
    folders.push(folder)
    const names = new Set(entries.filter(entry => entry.isFile()).map(({ name }) => name))
    for (const entry of entries) {
      if (NEVER_TAKEN.test(entry.name)) continue
      const path = join(folder, entry.name)
      if (entry.isDirectory()) walk(path, [...below, entry.name])
      else if (entry.name === BESIDE && isDatasetFolder(below)) continue
      else found.push(...foundOf(path, below, entry, { isDone: names.has(`${entry.name}${DONE}`), isMoved: isMoved(path) }))
    }
  }
  walk(inbox, [])
  return { found, folders }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    if (isGone(error)) return []
    throw error
  }
}

function foundOf(path: string, below: readonly string[], entry: Dirent, signs: Pick<Found, 'isDone' | 'isMoved'>): readonly Found[] {
  try {
    const stats = lstatSync(path)
    const { size, mtimeMs, ctimeMs } = stats
    // Writing moves both times on together, so a later change of the file itself is the end of it,
    // a renaming mostly.
    const isMoved = size > 0 && (signs.isMoved || ctimeMs > mtimeMs)
    return [
      {
        path,
        ...placeOf([...below, entry.name]),
        fault: faultOf(entry) ?? misplaced(entry, below),
        mark: markOf(stats),
        isDone: signs.isDone,
        isMoved,
        modifiedAt: mtimeMs,
      },
    ]
  } catch (error) {
    if (isGone(error)) return []
    throw error
  }
}

/** @param names of the folders a file or folder is in, from the inbox on, and its own */
function placeOf(names: readonly string[]): Pick<Found, 'place' | 'file'> {
  const depth = Math.min(names[0] === 'feeds' ? 2 : 1, names.length - 1)
  return { place: names.slice(0, depth).join('/'), file: names.slice(depth).join('/') }
}

/**
 * A folder that cannot be looked into: it alone is passed by, and nothing is known of it that could
 * change.
 */
const unreadable = (path: string, names: readonly string[]): Found => ({
  path,
  ...placeOf(names),
  fault: {
    en: 'This user may not read the folder; let it, and its files are taken.',
    zh: '執行服務的使用者無權讀取此資料夾；請開放讀取權限，其中的檔案即會收取。',
  },
  mark: 'unreadable',
  isDone: false,
  isMoved: false,
  modifiedAt: 0,
})

/** What changes whenever anything about a file does. */
export const markOf = ({ ino, size, mtimeMs, ctimeMs }: Stats): string => `${ino} ${size} ${mtimeMs} ${ctimeMs}`

/**
 * Nothing is followed or opened but files: a pipe would be waited for, and a link leads out of the
 * inbox.
 */
function faultOf(entry: Dirent): Words | null {
  if (entry.isFile()) return null
  if (entry.isSymbolicLink()) return { en: 'It is a symbolic link; put the file itself here.', zh: '這是符號連結；請改放檔案本身。' }
  const kind = entry.isFIFO() ? PIPE : entry.isSocket() ? SOCKET : DEVICE
  return {
    en: `It is ${kind.en}, not a file; write what it gives into a file first.`,
    zh: `這是${kind.zh}，不是檔案；請先將其內容寫入檔案。`,
  }
}

const PIPE: Words = { en: 'a pipe', zh: '具名管道' }
const SOCKET: Words = { en: 'a socket', zh: '通訊端' }
const DEVICE: Words = { en: 'a device', zh: '裝置' }

const isDatasetFolder = (below: readonly string[]): boolean => below.length === 1 && below[0] !== 'feeds'

/** A mapping holds for every file of a dataset; one that lies deeper is neither rows nor read. */
const misplaced = (entry: Dirent, below: readonly string[]): Words | null =>
  entry.name === BESIDE && below.length > 0
    ? {
        en: 'A mapping is read in the folder of a dataset itself, and for a dataset alone; move it there.',
        zh: '欄位對應檔只在資料集的資料夾本身讀取，且僅適用於資料集；請移至該處。',
      }
    : null

/** True where the system does not let this user read something. */
export const isForbidden = (error: unknown): boolean => /^(EACCES|EPERM)$/.test(String((error as NodeJS.ErrnoException).code))

export const isGone = (error: unknown): boolean => /^(ENOENT|ENOTDIR)$/.test(String((error as NodeJS.ErrnoException).code))
