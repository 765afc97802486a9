import { defineConfig } from 'vitest/config'

/**
 * Three tiers, told apart by the file name: `*.test.ts` is `npm test`, `*.full.test.ts` is added by `npm run test:all`, and
 * `*.heavy.test.ts` by `npm run test:heavy`.
 */
const tiers = [
  { name: 'quick', include: ['test/**/*.test.ts'], exclude: ['test/**/*.{full,heavy}.test.ts'] },
  { name: 'full', include: ['test/**/*.full.test.ts'] },
  { name: 'heavy', include: ['test/**/*.heavy.test.ts'] },
]

export default defineConfig({
  test: {
    projects: tiers.map(tier => ({ extends: true, test: tier })),
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Pages and processes may wait for a busy machine; a passing assertion ends the wait.
    expect: { poll: { timeout: 20_000 } },
    // Every test opens real engines; two workers match the smallest machine the service supports.
    maxWorkers: 2,
    pool: 'forks',
    // The files of a worker share imported modules: loading DuckDB, Fastify and the rest for each file was a fifth of a run.
    isolate: false,
    globalSetup: 'test/run-folder.ts',
    // Code that runs in child processes, such as the CLI, is not counted.
    coverage: {
      provider: 'v8',
      include: ['{catalog,src,ingest}/**/*.ts'],
      exclude: ['portal/**'],
      reporter: ['text-summary', 'html', 'json-summary'],
      reportsDirectory: '.coverage',
    },
  },
})
