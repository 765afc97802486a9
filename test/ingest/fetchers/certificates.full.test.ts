import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { certificateChain, hasOpenssl } from '../../fixtures/certificates.ts'
import { fetchSetup } from '../../fixtures/fetch/source.ts'

const dir = mkdtempSync(join(tmpdir(), 'twmd-ca-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))
const pathOf = (name: string): string => join(dir, name)

it.skipIf(!hasOpenssl())('the fetcher refuses an incomplete certificate chain unless FETCH_CA completes it', async () => {
  const f = await fetchSetup({ reply: () => 'rows', tls: certificateChain(dir) })
  const ask = async (ca: string | undefined): Promise<string> => {
    const fetcher = f.fetcherFor({ ca })
    try {
      const { bytes } = await fetcher.fetch({ url: 'https://www.twse.com.tw/x' }, { mostBytes: 100, judge: () => ({ good: true }) })
      return Buffer.from(bytes).toString()
    } finally {
      await fetcher.close()
    }
  }
  try {
    await expect(ask(undefined)).rejects.toThrow(
      /certificate of 127\.0\.0\.1:\d+ cannot be verified \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\).* set FETCH_CA to its path\. Verification cannot be switched off/,
    )
    await expect(ask(pathOf('root.pem'))).rejects.toThrow('cannot be verified')
    expect(f.source.requests).toEqual([])
    expect(await ask(pathOf('chain.pem'))).toBe('rows')
    expect(() => f.fetcherFor({ ca: pathOf('server.key') })).toThrow('FETCH_CA must be the path of a PEM file')
  } finally {
    await f.close()
  }
})
