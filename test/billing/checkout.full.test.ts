import { expect, it } from 'vitest'
import { refused, shop } from './shop.ts'

it('if the provider refuses the configured key or price, the service answers 503 without the reason', async () => {
  for (const env of [{ STRIPE_SECRET_KEY: 'sk_test_wrong_key_of_the_tests' }, { STRIPE_PRICE_PRO: 'price_that_is_not_there' }]) {
    const wrong = await shop({ env })
    const answer = await wrong.checkout(wrong.member())
    expect(refused(answer)).toEqual([503, 'billing_unavailable'])
    expect(answer.body).not.toMatch(/sk_test|price_that|Invalid API/)
    expect(wrong.lines.join('')).not.toContain('sk_test_wrong_key_of_the_tests')
    await wrong.close()
  }
})
