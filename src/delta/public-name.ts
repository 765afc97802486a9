import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { storedName } from '../../catalog/index.ts'

/**
 * Links the dataset's public name to the table's folder. An existing file with the public name
 * stays unchanged.
 * @returns false if the file system does not support links
 */
export async function linkPublicName(root: string, slug: string): Promise<boolean> {
  const folder = storedName(slug)
  if (folder === slug) return true
  try {
    // On Windows, other links than junctions require a privilege.
    await symlink(folder, join(root, slug), 'junction')
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EEXIST'
  }
}
