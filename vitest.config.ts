import { defineConfig } from 'vitest/config'

/** Every test opens real engines; two workers match the smallest machine the service is meant for. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A page or a process that is waited for may share the machine with much else; a passing assertion ends its wait at once.
    expect: { poll: { timeout: 20_000 } },
    maxWorkers: 2,
    pool: 'forks',
    // The files of a worker share the modules they import: loading DuckDB, Fastify and the rest again for each file was a fifth of a run.
    isolate: false,
    globalSetup: 'test/examples.setup.ts',
    // `npm run coverage`. What runs in a process of its own, such as the CLI, is not counted.
    coverage: {
      provider: 'v8',
      include: ['{catalog,src,ingest}/**/*.ts'],
      exclude: ['src/portal/**'],
      reporter: ['text-summary', 'html', 'json-summary'],
      reportsDirectory: '.coverage',
    },
  },
})
