import { join } from 'node:path'
import type { Size } from '../data.ts'

/** Programs of the peers, installed by `npm run bench:peers`. */
export const PEERS_FOLDER = join(import.meta.dirname, '..', '.data', 'peers')
export const PYTHON_FOLDER = join(PEERS_FOLDER, 'python')

/** The rows of a size in the peers' own formats. */
export const stockFolder = (size: Size): string => join(PEERS_FOLDER, `rows-${size}`)
