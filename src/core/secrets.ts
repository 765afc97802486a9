import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { SECRET_NAMES, type SecretName } from './environment.ts'

export type Secrets = Readonly<Record<SecretName, string>>

/**
 * Loads the secrets from the environment. Outside production, `secrets.json` provides missing
 * secrets. Stored API keys are unusable without the file.
 */
export function loadSecrets(config: Config): Secrets {
  const { secrets, production, dataDir } = config
  if (production) return secrets as Secrets
  const file = join(dataDir, 'secrets.json')
  const existing = readStored(file)
  const stored = existing ?? {}
  const missing = SECRET_NAMES.filter(name => secrets[name] === undefined && stored[name] === undefined)
  if (missing.length === 0) return { ...stored, ...secrets } as Secrets
  const generated = Object.fromEntries(missing.map(name => [name, randomBytes(32).toString('base64')]))
  mkdirSync(dataDir, { recursive: true })
  // Another process created the file first.
  if (!writeAtomically(file, { ...stored, ...generated }, existing === undefined)) return loadSecrets(config)
  return { ...stored, ...generated, ...secrets } as Secrets
}

/**
 * Copies the current secrets from the environment to `secrets.json`. Does nothing in production, or
 * if the file does not exist.
 * @returns names of the replaced secrets
 */
export function storeRotatedSecrets({ secrets, production, dataDir }: Config): readonly SecretName[] {
  const file = join(dataDir, 'secrets.json')
  const stored = production ? undefined : readStored(file)
  if (stored === undefined) return []
  const current = Object.fromEntries(SECRET_NAMES.flatMap(name => (secrets[name] === undefined ? [] : [[name, firstOf(secrets[name])]])))
  const replaced = SECRET_NAMES.filter(name => current[name] !== undefined && current[name] !== stored[name])
  if (replaced.length > 0) writeAtomically(file, { ...stored, ...current }, false)
  return replaced
}

const firstOf = (values: string): string => values.split(',')[0]!

/** @returns false if `mustBeNew` is set and the file exists */
function writeAtomically(file: string, secrets: Readonly<Record<string, string>>, mustBeNew: boolean): boolean {
  const part = `${file}.${process.pid}`
  writeFileSync(part, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 })
  try {
    if (mustBeNew) linkSync(part, file)
    else renameSync(part, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(part, { force: true })
  }
}

/** Undefined if the file does not exist. */
function readStored(file: string): Partial<Record<SecretName, string>> | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Error(`${file} is not valid JSON. Restore it from a backup: stored keys depend on it`)
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Compares in constant time. */
export function sameSecret(token: string, configured: string): boolean {
  return timingSafeEqual(digest(token), digest(configured))
}
