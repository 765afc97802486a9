import { cp, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { sha256, stored } from '../fixtures/publish/store.ts'
import { NOW, service, type TestService } from '../support.ts'
import { balanced, holder } from '../usage/ledger.ts'
import { agentAt } from './agent.ts'

const SLUG = 'institutional-positioning'

/**
 * Serves a release whose manifest lists one file many times. Different files would need millions of
 * rows.
 */
async function serveFiles({ dir, releases }: TestService, count: number, id: string): Promise<void> {
  const { paths, release, manifest } = stored(join(dir, 'releases'), SLUG)
  const [from, copy] = [dirname(paths.manifest(release)), dirname(paths.manifest(id))]
  await cp(from, copy, { recursive: true })
  const parts = Array.from({ length: count }, () => manifest.parts[0]!)
  const text = JSON.stringify({ ...manifest, release: id, parent: release, parts })
  await writeFile(join(copy, 'manifest.json'), text)
  await writeFile(join(copy, 'manifest.sha256'), `${sha256(text)}\n`)
  await writeFile(`${paths.current}.next`, `${id}\n`)
  await rename(`${paths.current}.next`, paths.current)
  await releases.refresh()
}

it('get_rows refuses to list more than 100 files, free of charge, and suggests filters', async () => {
  const s = await service({ inMemory: false, indexed: false })
  const { key, accountId } = holder(s, 'max', 'files@example.test', NOW)
  const agent = await agentAt(await s.app.listen({ port: 0, host: '127.0.0.1' }), key)
  const files = () => agent.call('get_rows', { dataset: SLUG, files: true })
  try {
    await serveFiles(s, 100, '20260701T130000000Z')
    expect((await files()).answer.files).toMatchObject({ total: 100, returned: 100 })
    const before = balanced(s.dir, accountId)
    await serveFiles(s, 101, '20260701T140000000Z')
    const { isError, answer } = await files()
    expect([isError, answer.error.error_code]).toEqual([true, 'invalid_parameter'])
    expect(answer.error.detail).toMatchObject([{ loc: ['arguments', 'filters'], type: 'too_many' }])
    expect(answer.error.error_message).toMatch(
      /^101 files match, for \d+ credits; .*Filter by symbol, .*GET \/v2\/datasets\/institutional-positioning\/parts/,
    )
    expect(balanced(s.dir, accountId)).toEqual(before)
  } finally {
    await agent.close()
    await s.close()
  }
})
