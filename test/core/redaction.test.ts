import { afterEach, describe, expect, it } from 'vitest'
import { clipped, createLog, loadSecrets, readConfig, withhold, withholdConfigured, withoutSecrets } from '../../src/core/index.ts'
import { SECRETS } from '../support.ts'

const ends: (() => void)[] = []
const keep = (...secrets: string[]): void => void ends.push(withhold(secrets))
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

describe('a configured secret', () => {
  it('is struck out of a text whole, in capitals or not, and told again once nobody keeps it', () => {
    const end = withhold(['open sesame!'])
    expect(withoutSecrets('say open sesame! or OPEN SESAME! twice')).toBe('say [redacted] or [redacted] twice')
    expect(withoutSecrets('say open sesame')).toBe('say open sesame')
    end()
    expect(withoutSecrets('open sesame!')).toBe('open sesame!')
  })

  it('stays struck out while another service of the process keeps the same', () => {
    const end = withhold(['open sesame!'])
    keep('open sesame!')
    end()
    expect(withoutSecrets('open sesame!')).toBe('[redacted]')
  })

  it.each(['abc+/def0==', 'a"quoted\\one', 'with (a.dot)*', '祕密是八個字以上'])('is known however %s is written', secret => {
    keep(secret)
    for (const text of [secret, encodeURIComponent(secret), secret.replaceAll('+', ' '), encodeURIComponent(secret).toLowerCase()]) {
      expect(withoutSecrets(`x${text}y`)).toBe('x[redacted]y')
      const [once, twice] = [JSON.stringify({ text }), JSON.stringify(JSON.stringify({ text }))]
      expect([JSON.parse(withoutSecrets(once)), JSON.parse(JSON.parse(withoutSecrets(twice)))]).toEqual([
        { text: '[redacted]' },
        { text: '[redacted]' },
      ])
    }
  })

  it('of fewer than eight characters is no reason to strike out words', () => {
    keep('volume', '')
    expect(withoutSecrets('volume must be a number')).toBe('volume must be a number')
  })

  it('is struck out before a text is cut, of which the beginning alone would not be known', () => {
    keep('0123456789abcdef')
    expect(clipped(`${'x'.repeat(10)}0123456789abcdef and more of it`, 20)).toBe('xxxxxxxxxx[redacted]…')
    expect(clipped('short', 20)).toBe('short')
  })

  it('is in no line of the log', () => {
    keep('0123456789abcdef')
    const lines: string[] = []
    const log = createLog('info', { write: line => void lines.push(line) })
    for (const event of ['read', 'refused', 'failed'] as const) log(event, { error: 'of 0123456789abcdef', '0123456789ABCDEF': 1 })
    expect(lines.map(line => JSON.parse(line))).toEqual(Array(3).fill(expect.objectContaining({ error: 'of [redacted]', '[redacted]': 1 })))
  })
})

it('all that the environment sets in secret is known, former values and passwords in addresses as well', () => {
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
  ends.push(withholdConfigured(config, loadSecrets(config)))
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
