import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** An empty file marks a folder of releases as a copy from another service. */
const fileOf = (root: string): string => join(root, '.replica')

export const markReplica = (root: string): Promise<void> => writeFile(fileOf(root), '')

/** True if `twmd pull` copied releases to this folder. */
export const isReplica = (root: string): boolean => existsSync(fileOf(root))
