import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

// DuckDB has its own memory allocator on Linux only.
it.runIf(process.platform === 'linux')(
  'an engine that returns freed memory to the system also returns the memory of large results',
  { timeout: 60_000 },
  () => {
    const script = fileURLToPath(new URL('../fixtures/engine/returning.ts', import.meta.url))
    expect(spawnSync(process.execPath, [script, 'yes'], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
  },
)
