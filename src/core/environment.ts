import { readFileSync } from 'node:fs'

export const SECRET_NAMES = [
  'KEY_PEPPER',
  'KEY_ENCRYPTION_KEY',
  'SERVICE_TOKEN',
  'ADMIN_TOKEN',
  'DIAGNOSTICS_SECRET',
  'DIAGNOSTICS_PROBE',
  'FILE_SIGNING_SECRET',
] as const
export type SecretName = (typeof SECRET_NAMES)[number]

/**
 * Variables that contain secrets. A variable with the suffix `_FILE` names a file that contains the
 * secret.
 */
const FILE_VARIABLES = [...SECRET_NAMES, 'MAIL_URL', 'STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'] as const

/** Maximum size of a secret in bytes. A larger file is probably a certificate. */
const MAX_BYTES = 8_192

/**
 * Reads secrets from the files of variables such as `ADMIN_TOKEN_FILE`.
 * @returns the environment with the secrets, and the faults by variable. Faults never contain file
 * contents
 */
export function withSecretFiles(environment: NodeJS.ProcessEnv) {
  const values: Record<string, string> = {}
  const mistakes = new Map<string, string>()
  for (const name of FILE_VARIABLES) {
    const file = environment[`${name}_FILE`]
    if (file === undefined || file === '') continue
    if ((environment[name] ?? '') !== '') mistakes.set(name, `${name} and ${name}_FILE are both set. Remove one of them.`)
    else
      try {
        const text = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
        if (text === '') mistakes.set(name, `${name}_FILE refers to an empty file.`)
        else if (text.length > MAX_BYTES)
          mistakes.set(name, `${name}_FILE refers to a file larger than ${MAX_BYTES} bytes, which cannot be a secret.`)
        else values[name] = text
      } catch (error) {
        mistakes.set(name, `${name}_FILE refers to an unreadable file (${(error as NodeJS.ErrnoException).code}).`)
      }
  }
  return { environment: { ...environment, ...values } as NodeJS.ProcessEnv, mistakes: mistakes as ReadonlyMap<string, string> }
}

/** Drops empty items. */
export const splitList = (text = ''): readonly string[] =>
  text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
