import { join } from 'node:path'
import type { Size } from '../data.ts'

/**
 * Folder of the programs that the service is compared with. `npm run bench:peers` installs them.
 */
export const PEERS_FOLDER = join(import.meta.dirname, '..', '.data', 'peers')
export const PYTHON_FOLDER = join(PEERS_FOLDER, 'python')

/** Returns the folder with the rows of a release in the formats of the peers. */
export const stockFolder = (size: Size): string => join(PEERS_FOLDER, `rows-${size}`)
