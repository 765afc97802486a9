import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadCatalog } from '../../catalog/index.ts'
import { ended, startTwmd } from '../fixtures/cli/twmd.ts'
import { stored } from '../fixtures/publish/store.ts'
import { openCollector, type ReceivedSpan } from './collector.ts'

it('a publication is sent as a trace with its stages', async () => {
  const collector = await openCollector()
  const named = (name: string) => collector.spans.filter(span => span.name === name)
  const inside = ({ spanId }: ReceivedSpan) => collector.spans.filter(({ parentSpanId }) => parentSpanId === spanId)
  const dir = await mkdtemp(join(tmpdir(), 'twmd-'))
  try {
    const [slug, file] = ['bond-yield-curve', join(dir, 'rows.ndjson')]
    const rows = (await loadCatalog()).get(slug)!.example
    await writeFile(file, rows.map(row => JSON.stringify(row)).join('\n'))
    expect((await ended(startTwmd(dir, ['publish', slug, file], { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }))).code).toBe(0)
    const [publication] = named(`publish ${slug}`)
    const { release } = stored(join(dir, 'releases'), slug)
    expect(publication!.attributes).toEqual({ 'twmd.dataset': slug, 'twmd.outcome': 'published', 'twmd.release': release })
    expect(inside(publication!).map(({ name }) => name)).toEqual(['check', 'compare', 'write', 'measure', 'commit'])
  } finally {
    await collector.close()
    await rm(dir, { recursive: true, force: true })
  }
})
