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

/** What is a secret, or has one in it: each may come from a file that its name with `_FILE` names. */
const FROM_FILES = [...SECRET_NAMES, 'MAIL_URL', 'STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'] as const

/** The largest file that is read: a certificate or a list would be a mistake. */
const MOST_BYTES = 8_192

/**
 * An environment with the content of the files that variables such as `ADMIN_TOKEN_FILE` name, as containers and systemd hand secrets out.
 * The line end that editors leave is taken off.
 *
 * @returns it with a sentence, by its variable, for each that is set twice, or whose file is unreadable, empty or too large; contents are
 * never repeated
 */
export function withSecretFiles(environment: NodeJS.ProcessEnv) {
  const found: Record<string, string> = {}
  const mistakes = new Map<string, string>()
  for (const name of FROM_FILES) {
    const file = environment[`${name}_FILE`]
    if (file === undefined || file === '') continue
    if ((environment[name] ?? '') !== '') mistakes.set(name, `${name} and ${name}_FILE are both set; keep one of them.`)
    else
      try {
        const text = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
        if (text === '') mistakes.set(name, `${name}_FILE names an empty file.`)
        else if (text.length > MOST_BYTES)
          mistakes.set(name, `${name}_FILE names a file of more than ${MOST_BYTES} bytes, which is no secret.`)
        else found[name] = text
      } catch (error) {
        mistakes.set(name, `${name}_FILE names a file that cannot be read (${(error as NodeJS.ErrnoException).code}).`)
      }
  }
  return { environment: { ...environment, ...found } as NodeJS.ProcessEnv, mistakes: mistakes as ReadonlyMap<string, string> }
}

/** The non-empty items of a comma-separated list. */
export const listed = (text = ''): readonly string[] =>
  text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
