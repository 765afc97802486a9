import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { storedName } from '../../catalog/index.ts'

/**
 * Links a dataset's public name to the table's folder. Never replaces an existing file.
 * @returns false if the file system does not support links
 */
export async function linkPublicName(root: string, slug: string): Promise<boolean> {
  const folder = storedName(slug)
  if (folder === slug) return true
  try {
    // On Windows, only junctions need no privilege.
    await symlink(folder, join(root, slug), 'junction')
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EEXIST'
  }
}
