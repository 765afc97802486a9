import { afterEach, expect, it } from 'vitest'
import {
  clipped,
  createLog,
  loadSecrets,
  readConfig,
  registerConfiguredSecrets,
  registerSecrets,
  withoutSecrets,
} from '../../src/core/index.ts'
import { SECRETS } from '../support.ts'

const ends: (() => void)[] = []
const keep = (...secrets: string[]): void => void ends.push(registerSecrets(secrets))
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

it('withoutSecrets redacts a whole secret in any letter case until it is released', () => {
  const end = registerSecrets(['open sesame!'])
  expect(withoutSecrets('say open sesame! or OPEN SESAME! twice')).toBe('say [redacted] or [redacted] twice')
  expect(withoutSecrets('say open sesame')).toBe('say open sesame')
  end()
  expect(withoutSecrets('open sesame!')).toBe('open sesame!')
})

it('withoutSecrets redacts a secret until its last holder releases it', () => {
  const end = registerSecrets(['open sesame!'])
  keep('open sesame!')
  end()
  expect(withoutSecrets('open sesame!')).toBe('[redacted]')
})

it.each(['abc+/def0==', 'a"quoted\\one', 'with (a.dot)*', '祕密是八個字以上'])(
  'withoutSecrets redacts %s URL-encoded and JSON-encoded',
  secret => {
    keep(secret)
    for (const text of [secret, encodeURIComponent(secret), secret.replaceAll('+', ' '), encodeURIComponent(secret).toLowerCase()]) {
      expect(withoutSecrets(`x${text}y`)).toBe('x[redacted]y')
      const [once, twice] = [JSON.stringify({ text }), JSON.stringify(JSON.stringify({ text }))]
      expect([JSON.parse(withoutSecrets(once)), JSON.parse(JSON.parse(withoutSecrets(twice)))]).toEqual([
        { text: '[redacted]' },
        { text: '[redacted]' },
      ])
    }
  },
)

it('withoutSecrets ignores secrets of fewer than eight characters', () => {
  keep('volume', '')
  expect(withoutSecrets('volume must be a number')).toBe('volume must be a number')
})

it('clipped redacts a secret before it truncates the text', () => {
  keep('0123456789abcdef')
  expect(clipped(`${'x'.repeat(10)}0123456789abcdef and more of it`, 20)).toBe('xxxxxxxxxx[redacted]…')
  expect(clipped('short', 20)).toBe('short')
})

it('log lines contain no configured secret', () => {
  keep('0123456789abcdef')
  const lines: string[] = []
  const log = createLog('info', { write: line => void lines.push(line) })
  for (const event of ['read', 'refused', 'failed'] as const) log(event, { error: 'of 0123456789abcdef', '0123456789ABCDEF': 1 })
  expect(lines.map(line => JSON.parse(line))).toEqual(Array(3).fill(expect.objectContaining({ error: 'of [redacted]', '[redacted]': 1 })))
})

it('withholdConfigured redacts every configured secret, former values and passwords in URLs', () => {
  const config = readConfig({
    ...SECRETS,
    NODE_ENV: 'production',
    KEY_PEPPER: `${'new-pepper'.repeat(4)},${'old-pepper'.repeat(4)}`,
    KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    MAIL_URL: 'smtps://user:pass%2Fword-of-mail@mail.example',
    STRIPE_SECRET_KEY: 'stripe-secret-key',
    STRIPE_WEBHOOK_SECRET: 'stripe-webhook-new,stripe-webhook-old',
    STRIPE_PRICE_PRO: 'price_pro',
    STRIPE_PRICE_MAX: 'price_max',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector-token',
  })
  ends.push(registerConfiguredSecrets(config, loadSecrets(config)))
  for (const secret of [
    ...Object.values({ ...SECRETS, KEY_PEPPER: 'new-pepper'.repeat(4) }),
    'old-pepper'.repeat(4),
    'pass%2Fword-of-mail',
    'pass/word-of-mail',
    'stripe-secret-key',
    'stripe-webhook-new',
    'stripe-webhook-old',
    'collector-token',
  ])
    expect(withoutSecrets(`[${secret}]`)).toBe('[[redacted]]')
  expect(withoutSecrets('price_pro of user at mail.example')).toBe('price_pro of user at mail.example')
})
