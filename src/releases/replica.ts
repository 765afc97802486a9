import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Empty file that marks a folder of releases as a copy of another service's folder. */
const fileOf = (root: string): string => join(root, '.replica')

export const markReplica = (root: string): Promise<void> => writeFile(fileOf(root), '')

/** True if `twmd pull` copied releases into the folder. */
export const isReplica = (root: string): boolean => existsSync(fileOf(root))
