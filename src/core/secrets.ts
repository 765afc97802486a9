import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { SECRET_NAMES, type SecretName } from './environment.ts'

export type Secrets = Readonly<Record<SecretName, string>>

/**
 * Every secret the service needs: from the environment or, outside production, from `secrets.json` in the data folder, made with
 * mode 0600 the first time. Losing that file makes stored keys unusable, so it is backed up with the state file.
 */
export function loadSecrets(config: Config): Secrets {
  const { secrets, production, dataDir } = config
  if (production) return secrets as Secrets
  const file = join(dataDir, 'secrets.json')
  const found = readKept(file)
  const kept = found ?? {}
  const missing = SECRET_NAMES.filter(name => secrets[name] === undefined && kept[name] === undefined)
  if (missing.length === 0) return { ...kept, ...secrets } as Secrets
  const made = Object.fromEntries(missing.map(name => [name, randomBytes(32).toString('base64')]))
  mkdirSync(dataDir, { recursive: true })
  // Another process made the file meanwhile: its secrets are the ones.
  if (!keep(file, { ...kept, ...made }, found === undefined)) return loadSecrets(config)
  return { ...kept, ...made, ...secrets } as Secrets
}

/** Writes the file completely or not at all. False when it was to be the first one and is not. */
function keep(file: string, secrets: Readonly<Record<string, string>>, first: boolean): boolean {
  const part = `${file}.${process.pid}`
  writeFileSync(part, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 })
  try {
    if (first) linkSync(part, file)
    else renameSync(part, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(part, { force: true })
  }
}

/** Undefined when there is no such file. */
function readKept(file: string): Partial<Record<SecretName, string>> | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Error(`${file} cannot be read as JSON; restore it from a backup, since stored keys need what it holds`)
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Compares a token with the configured one. The time it takes does not depend on their contents or lengths. */
export function sameSecret(token: string, configured: string): boolean {
  return timingSafeEqual(digest(token), digest(configured))
}
