import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Path of the empty file that marks copied releases. */
const fileOf = (root: string): string => join(root, '.replica')

export const markReplica = (root: string): Promise<void> => writeFile(fileOf(root), '')

/** True if `twmd pull` copied releases to this folder. */
export const isReplica = (root: string): boolean => existsSync(fileOf(root))
