import { join } from 'node:path'
import type { Size } from '../data.ts'

/** `npm run bench:peers` installs the peers here. */
export const PEERS_FOLDER = join(import.meta.dirname, '..', '.data', 'peers')
export const PYTHON_FOLDER = join(PEERS_FOLDER, 'python')

export const stockFolder = (size: Size): string => join(PEERS_FOLDER, `rows-${size}`)
