import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, SECRET_NAMES, type SecretName } from './config.ts'

export type Secrets = Readonly<Record<SecretName, string>>

/**
 * Every secret the service needs: from the environment or, outside production, from `secrets.json` in the data folder, made with
 * mode 0600 the first time. Losing that file makes stored keys unusable, so it is backed up with the state file.
 */
export function loadSecrets({ secrets, production, dataDir }: Config): Secrets {
  if (production) return secrets as Secrets
  const file = join(dataDir, 'secrets.json')
  const kept = readKept(file)
  const missing = SECRET_NAMES.filter(name => secrets[name] === undefined && kept[name] === undefined)
  const made = Object.fromEntries(missing.map(name => [name, randomBytes(32).toString('base64')]))
  if (missing.length > 0) {
    mkdirSync(dataDir, { recursive: true })
    writeFileSync(file, `${JSON.stringify({ ...kept, ...made }, null, 2)}\n`, { mode: 0o600 })
  }
  return { ...kept, ...made, ...secrets } as Secrets
}

function readKept(file: string): Partial<Record<SecretName, string>> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new Error(`${file} cannot be read as JSON; restore it from a backup, since stored keys need what it holds`)
  }
}
