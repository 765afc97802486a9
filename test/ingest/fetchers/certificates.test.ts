import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { fetchSetup } from '../../fixtures/fetch/source.ts'

const dir = mkdtempSync(join(tmpdir(), 'twmd-ca-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))
const at = (name: string): string => join(dir, name)
const openssl = (...args: readonly string[]): Buffer =>
  execFileSync('openssl', [...args], { cwd: dir, stdio: ['ignore', 'pipe', 'ignore'] })

function hasOpenssl(): boolean {
  try {
    openssl('version')
    return true
  } catch {
    return false
  }
}

/** A root, an authority below it, and a server's certificate from that one; the server sends its own alone, as the exchange's does. */
function chain() {
  const request = (name: string) =>
    openssl('req', '-newkey', 'rsa:2048', '-nodes', '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=twmd test ${name}`)
  const sign = (name: string, by: string, extensions: string) => {
    writeFileSync(at(`${name}.ext`), extensions)
    openssl(
      ...['x509', '-req', '-in', `${name}.csr`, '-CA', `${by}.pem`, '-CAkey', `${by}.key`, '-CAcreateserial', '-days', '2'],
      ...['-extfile', `${name}.ext`, '-out', `${name}.pem`],
    )
  }
  openssl(
    ...[
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=twmd test root',
      '-keyout',
      'root.key',
      '-out',
      'root.pem',
    ],
  )
  request('middle')
  sign('middle', 'root', 'basicConstraints=critical,CA:TRUE')
  request('server')
  // Without a subjectKeyIdentifier.
  sign('server', 'middle', 'basicConstraints=CA:FALSE\nsubjectAltName=IP:127.0.0.1\nsubjectKeyIdentifier=none')
  writeFileSync(at('chain.pem'), `${readFileSync(at('middle.pem'))}${readFileSync(at('root.pem'))}`)
  return { key: readFileSync(at('server.key'), 'utf8'), cert: readFileSync(at('server.pem'), 'utf8') }
}

describe.skipIf(!hasOpenssl())('a source whose certificate chain is not whole', () => {
  it('is refused, with what to do; taken with the missing ones in FETCH_CA; and refused with part of them', async () => {
    const f = await fetchSetup({ reply: () => 'rows', tls: chain() })
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
        /certificate of 127\.0\.0\.1:\d+ cannot be verified \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\).* name it in FETCH_CA; verification is never switched off/,
      )
      await expect(ask(at('root.pem'))).rejects.toThrow('cannot be verified')
      expect(f.source.asked).toEqual([])
      expect(await ask(at('chain.pem'))).toBe('rows')
      expect(() => f.fetcherFor({ ca: at('server.key') })).toThrow('FETCH_CA must name a PEM file of certificates')
    } finally {
      await f.close()
    }
  })
})
