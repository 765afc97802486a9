import { expect, it } from 'vitest'
import { readConfig } from '../../src/core/index.ts'

/** The error message of readConfig, line by line. */
function refused(environment: NodeJS.ProcessEnv): readonly string[] {
  try {
    readConfig(environment)
  } catch (error) {
    return (error as Error).message.split('\n')
  }
  return []
}

it('readConfig reports every mistake of a production configuration together', () => {
  const same = 'the-same-words-of-32-characters-and-more'
  const environment = {
    NODE_ENV: 'production',
    PORT: 'many',
    STRIPE_SECRET_KEY: 'sk_test_x',
    ADMIN_TOKEN_FILE: '/nowhere/admin_token',
    SERVICE_TOKEN: same,
    DIAGNOSTICS_SECRET: same,
    KEY_ENCRYPTION_KEY: 'short',
  }
  expect(refused(environment)).toEqual([
    'ADMIN_TOKEN_FILE refers to an unreadable file (ENOENT).',
    'PORT: must be a whole number from 0 to 65535',
    'KEY_ENCRYPTION_KEY: must be 32 bytes in base64, or two such values separated by a comma during key rotation',
    'In production, these must be set to 32 characters or more: KEY_PEPPER, DIAGNOSTICS_PROBE, FILE_SIGNING_SECRET',
    'In production, every secret must be different',
    'MAIL_URL must be a mail server in production: console: prints sign-in codes to the log',
    'STRIPE_SECRET_KEY requires STRIPE_WEBHOOK_SECRET, STRIPE_PRICE_PRO and STRIPE_PRICE_MAX',
  ])
  expect(refused(environment).join()).not.toContain(same)
})

it('readConfig reports each variable once', () => {
  const file = { STRIPE_SECRET_KEY: 'sk_test_x', STRIPE_WEBHOOK_SECRET_FILE: '/nowhere/secret' }
  expect(refused(file)).toEqual(['STRIPE_WEBHOOK_SECRET_FILE refers to an unreadable file (ENOENT).'])
  const twice = { STRIPE_SECRET_KEY: 'k', STRIPE_WEBHOOK_SECRET: 'w', STRIPE_PRICE_PRO: 'a,b', STRIPE_PRICE_MAX: 'b' }
  expect(refused(twice)).toEqual([expect.stringContaining('contain the same price')])
  expect(refused({})).toEqual([])
})
