export const PRICES = { pro: 'price_pro_of_the_tests', max: 'price_max_of_the_tests' } as const
export const AMOUNTS = { pro: 99_000, max: 299_000 } as const
export const STRIPE_KEY = 'sk_test_provider_key_of_the_tests'
export const WEBHOOK_SECRET = 'whsec_secret_of_the_tests_0123456789'

/** Environment of a service that uses the payment provider at this URL. */
export const paidEnvironment = (dataDir: string, providerUrl: string): Record<string, string> => ({
  DATA_DIR: dataDir,
  PORT: '0',
  MAIL_URL: `file://${dataDir}/mail`,
  STRIPE_SECRET_KEY: STRIPE_KEY,
  STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
  STRIPE_API_BASE: providerUrl,
  STRIPE_PRICE_PRO: PRICES.pro,
  STRIPE_PRICE_MAX: PRICES.max,
})
