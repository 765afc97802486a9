import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { storedName } from '../../catalog/index.ts'

/**
 * Creates a symbolic link with the public name of a dataset to the table's folder. Does nothing if
 * the folder itself has this name. An existing file with the public name stays unchanged.
 *
 * @returns false if the file system does not support links; the name of the folder still works
 */
export async function linkPublicName(root: string, slug: string): Promise<boolean> {
  const folder = storedName(slug)
  if (folder === slug) return true
  try {
    // A junction on Windows, because other links require a privilege. Other systems ignore this
    // argument.
    await symlink(folder, join(root, slug), 'junction')
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EEXIST'
  }
}
