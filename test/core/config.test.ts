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
    'ADMIN_TOKEN_FILE names a file that cannot be read (ENOENT).',
    'PORT: must be a whole number from 0 to 65535',
    'KEY_ENCRYPTION_KEY: must be 32 bytes in base64; two of them, separated by a comma, while keys are rotated',
    'In production these must be set, with 32 characters or more: KEY_PEPPER, DIAGNOSTICS_PROBE, FILE_SIGNING_SECRET',
    'In production every secret must differ from the others',
    'MAIL_URL must name a mail server in production: console: would print sign-in codes into the log',
    'STRIPE_SECRET_KEY needs STRIPE_WEBHOOK_SECRET, STRIPE_PRICE_PRO and STRIPE_PRICE_MAX beside it',
  ])
  expect(refused(environment).join()).not.toContain(same)
})

it('readConfig reports each variable once', () => {
  const file = { STRIPE_SECRET_KEY: 'sk_test_x', STRIPE_WEBHOOK_SECRET_FILE: '/nowhere/secret' }
  expect(refused(file)).toEqual(['STRIPE_WEBHOOK_SECRET_FILE names a file that cannot be read (ENOENT).'])
  const twice = { STRIPE_SECRET_KEY: 'k', STRIPE_WEBHOOK_SECRET: 'w', STRIPE_PRICE_PRO: 'a,b', STRIPE_PRICE_MAX: 'b' }
  expect(refused(twice)).toEqual([expect.stringContaining('name a price twice')])
  expect(refused({})).toEqual([])
})
