import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Folder of files that the exchanges sent. It is not part of the project, because we may not
 * redistribute them.
 */
export const REAL_FILES = process.env['TWMD_REAL_FILES'] ?? '../shared/real'

export const realFilesThere = existsSync(join(REAL_FILES, 'twse'))

if (!realFilesThere) console.warn(`Skipped: no real exchange files in ${REAL_FILES}; set TWMD_REAL_FILES to a folder that has them.`)

export const real = (...path: readonly string[]): string => join(REAL_FILES, ...path)

/**
 * The page with which MOPS answers too many queries. It is in the folder of bodies without data.
 */
export const TOO_MANY_QUERIES = 'mops-too-many-queries.html'

/** Names of the bodies that the exchanges sent for days without data. */
export const emptyBodies = (): readonly string[] => readdirSync(real('empty')).filter(name => name !== TOO_MANY_QUERIES)
