import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readConfig } from '../../../src/core/index.ts'
import { startService } from '../../../src/main.ts'
import { SECRETS } from '../../support.ts'

it('a failed start releases its resources, and a service can be stopped twice', async () => {
  const config = readConfig({ DATA_DIR: mkdtempSync(join(tmpdir(), 'twmd-start-')), HOST: '127.0.0.1', PORT: '0' })
  const parts = { secrets: SECRETS, log: () => {} }
  const broken = { ...config, duckdb: { ...config.duckdb, memoryLimit: 'a lot' } }
  await expect(startService({ ...parts, config: broken })).rejects.toThrow(/config/)
  const service = await startService({ ...parts, config })
  await Promise.all([service.stop(), service.stop()])
  await (await startService({ ...parts, config })).stop()
})
