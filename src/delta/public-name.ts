import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { storedName } from '../../catalog/index.ts'

/**
 * Creates a link to a table's folder under the public name of the dataset, if the folder has
 * another name. An existing file with that name is not changed.
 *
 * @returns false if the file system has no links; the stored name still works
 */
export async function linkPublicName(root: string, slug: string): Promise<boolean> {
  const folder = storedName(slug)
  if (folder === slug) return true
  try {
    // On Windows, a junction, because other links require a privilege. Other systems ignore the
    // type.
    await symlink(folder, join(root, slug), 'junction')
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EEXIST'
  }
}
