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

/** Variables with secrets. Each can come from the file that `<name>_FILE` names. */
const FILE_VARIABLES = [...SECRET_NAMES, 'MAIL_URL', 'STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'] as const

/** Larger files are not secrets, for example certificates. */
const MAX_BYTES = 8_192

/**
 * Reads the files that variables such as `ADMIN_TOKEN_FILE` name, as containers and systemd provide
 * secrets. Removes one trailing line end.
 *
 * @returns the extended environment, and mistakes by variable: set twice, or an unreadable, empty
 * or too large file. Mistakes never contain file contents
 */
export function withSecretFiles(environment: NodeJS.ProcessEnv) {
  const values: Record<string, string> = {}
  const mistakes = new Map<string, string>()
  for (const name of FILE_VARIABLES) {
    const file = environment[`${name}_FILE`]
    if (file === undefined || file === '') continue
    if ((environment[name] ?? '') !== '') mistakes.set(name, `${name} and ${name}_FILE are both set; keep one of them.`)
    else
      try {
        const text = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
        if (text === '') mistakes.set(name, `${name}_FILE names an empty file.`)
        else if (text.length > MAX_BYTES)
          mistakes.set(name, `${name}_FILE names a file of more than ${MAX_BYTES} bytes, which is no secret.`)
        else values[name] = text
      } catch (error) {
        mistakes.set(name, `${name}_FILE names a file that cannot be read (${(error as NodeJS.ErrnoException).code}).`)
      }
  }
  return { environment: { ...environment, ...values } as NodeJS.ProcessEnv, mistakes: mistakes as ReadonlyMap<string, string> }
}

/** Splits a comma-separated list and drops empty items. */
export const splitList = (text = ''): readonly string[] =>
  text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
