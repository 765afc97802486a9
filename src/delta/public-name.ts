import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { storedName } from '../../catalog/index.ts'

/**
 * Links a table's folder under the dataset's public name, if it is stored under another one. A file
 * of that name is left unchanged.
 *
 * @returns false if the file system has no links; the stored name still works
 */
export async function linkPublicName(root: string, slug: string): Promise<boolean> {
  const folder = storedName(slug)
  if (folder === slug) return true
  try {
    // On Windows a junction, because other links need a privilege. The type is ignored elsewhere.
    await symlink(folder, join(root, slug), 'junction')
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EEXIST'
  }
}
