import { defineConfig } from 'vitest/config'

/** Every test opens real engines; two workers match the smallest machine the service is meant for. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    pool: 'forks',
    globalSetup: 'test/examples.setup.ts',
  },
})
