import { join } from 'node:path'
import type { Size } from '../data.ts'

/** Folder of the peers' programs, which `npm run bench:peers` installs. */
export const PEERS_FOLDER = join(import.meta.dirname, '..', '.data', 'peers')
export const PYTHON_FOLDER = join(PEERS_FOLDER, 'python')

/** Folder with the rows of a size in the formats of the peers. */
export const stockFolder = (size: Size): string => join(PEERS_FOLDER, `rows-${size}`)
