import { type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import type { Words } from '../../src/core/index.ts'
import { BESIDE } from '../mappings/index.ts'

export interface Found {
  readonly path: string
  readonly place: string
  readonly file: string
  /** Null for a regular file. Otherwise what is wrong, and what to do. */
  readonly fault: Words | null
  /** Fingerprint of the metadata, to detect changes. */
  readonly mark: string
  readonly isDone: boolean
  /** True if the file has content and was renamed after its last write. */
  readonly isMoved: boolean
  readonly modifiedAt: number
}

/** Temporary names of programs, hidden files, and `.done` files. */
const NEVER_TAKEN = /^\.|\.(part|partial|tmp|temp|crdownload|filepart|download|swp|done|refused)$|~$/i

export const DONE = '.done'

export interface Look {
  /** Omits files that disappear during the scan. */
  readonly found: readonly Found[]
  readonly folders: readonly string[]
}

/** @param isMoved true if the system reported that a file was renamed into its folder */
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
      else found.push(...foundOf(path, below, entry, { isDone: names.has(`${entry.name}${DONE}`), isReported: isMoved(path) }))
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

function foundOf(
  path: string,
  below: readonly string[],
  entry: Dirent,
  signs: Pick<Found, 'isDone'> & { readonly isReported: boolean },
): readonly Found[] {
  try {
    const stats = lstatSync(path)
    const { size, mtimeMs, ctimeMs } = stats
    // A rename changes only the change time. A write changes both times.
    const isMoved = size > 0 && (signs.isReported || ctimeMs > mtimeMs)
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

/** @param names names of the folders from the inbox to the entry, and of the entry */
function placeOf(names: readonly string[]): Pick<Found, 'place' | 'file'> {
  const depth = Math.min(names[0] === 'feeds' ? 2 : 1, names.length - 1)
  return { place: names.slice(0, depth).join('/'), file: names.slice(depth).join('/') }
}

/** Reports an unreadable folder, which does not stop the scan of other folders. */
const unreadable = (path: string, names: readonly string[]): Found => ({
  path,
  ...placeOf(names),
  fault: {
    en: 'Permission denied. Grant read access and the files are picked up.',
    zh: '沒有此資料夾的讀取權限；開放權限後，即會處理其中的檔案。',
  },
  mark: 'unreadable',
  isDone: false,
  isMoved: false,
  modifiedAt: 0,
})

export const markOf = ({ ino, size, mtimeMs, ctimeMs }: Stats): string => `${ino} ${size} ${mtimeMs} ${ctimeMs}`

/**
 * Describes why an entry is not opened. Only regular files are opened: a pipe would block, and a
 * link may lead out of the inbox.
 */
function faultOf(entry: Dirent): Words | null {
  if (entry.isFile()) return null
  if (entry.isSymbolicLink()) return { en: 'This is a symbolic link. Put the file itself here.', zh: '這是符號連結；請改放檔案本身。' }
  const kind = entry.isFIFO() ? PIPE : entry.isSocket() ? SOCKET : DEVICE
  return {
    en: `This is ${kind.en}, not a regular file. Save its content to a file first.`,
    zh: `這是${kind.zh}，不是一般檔案；請先將內容存成檔案。`,
  }
}

const PIPE: Words = { en: 'a pipe', zh: '具名管道' }
const SOCKET: Words = { en: 'a socket', zh: '通訊端' }
const DEVICE: Words = { en: 'a device', zh: '裝置' }

const isDatasetFolder = (below: readonly string[]): boolean => below.length === 1 && below[0] !== 'feeds'

/** Reports a `mapping.json` in a subfolder, where it has no effect. */
const misplaced = (entry: Dirent, below: readonly string[]): Words | null =>
  entry.name === BESIDE && below.length > 0
    ? {
        en: 'A mapping only works directly in the folder of a dataset, not in a subfolder or the folder of a feed. Move the mapping to the folder of its dataset.',
        zh: '欄位對應檔須直接放在資料集的資料夾，不可放在子資料夾或資料來源的資料夾；請移至所屬資料集的資料夾。',
      }
    : null

export const isForbidden = (error: unknown): boolean => /^(EACCES|EPERM)$/.test(String((error as NodeJS.ErrnoException).code))

export const isGone = (error: unknown): boolean => /^(ENOENT|ENOTDIR)$/.test(String((error as NodeJS.ErrnoException).code))
