import { readFileSync } from 'node:fs'
import { getCACertificates } from 'node:tls'
import { gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { commandRefusal, type FetchSettings, limitInformational, type Refusal } from '../../src/core/index.ts'
import type { FetchRequest } from '../formats/index.ts'

export interface FetchedBody {
  readonly bytes: Uint8Array
  readonly status: number
  readonly contentType: string | null
}

/** Why a request failed. A later request may succeed. */
export interface AskAgain {
  readonly why: string
  /** Seconds from `Retry-After`. Null without the header. */
  readonly afterS: number | null
}

export type Answer = { readonly body: FetchedBody } | { readonly again: AskAgain }

export interface Exchange {
  /** Returns the address that is actually requested. The configuration may replace the host. */
  addressOf(url: string): URL
  /**
   * @param mostBytes maximum size of the body, both compressed and decompressed
   * @throws Refusal if a retry cannot help: a redirect, an invalid certificate, a body above the
   * limit
   */
  ask(request: FetchRequest, mostBytes: number, signal?: AbortSignal): Promise<Answer>
  close(): Promise<void>
}

export interface ExchangeOptions extends FetchSettings {
  readonly version: string
  /** Maximum milliseconds between received bytes. `longestMs` limits the whole response. */
  readonly silenceMs?: number
  readonly longestMs?: number
}

const SILENCE_MS = 30_000
const LONGEST_MS = 300_000
const AGAIN: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])
const UNTRUSTED = /CERT|SIGNED|VERIFY|ISSUER|ERR_TLS/

const refused = (rule: string, host: string, message: string): Refusal => commandRefusal('body_refused', { rule, host }, message)

/**
 * Opens an HTTP client that refuses redirects and invalid certificates.
 *
 * @throws Error if the certificate file cannot be read
 */
export function openExchange(options: ExchangeOptions): Exchange {
  const { bases, contact, ca, version, silenceMs = SILENCE_MS, longestMs = LONGEST_MS } = options
  const connect = { timeout: silenceMs, ...(ca !== undefined && { ca: [...getCACertificates('default'), certificates(ca)] }) }
  // The client is loaded on first use, because publications of local files import this module too.
  const openClient = async () => {
    const { Agent, request } = await import('undici')
    // Does not reuse connections, because sources often close idle ones just before the next
    // request.
    return { agent: new Agent({ connect, headersTimeout: silenceMs, bodyTimeout: silenceMs, pipelining: 0 }), request }
  }
  let client: ReturnType<typeof openClient> | undefined
  const headers = {
    'user-agent': `Mozilla/5.0 (compatible; twmd/${version}${contact === undefined ? '' : `; +${contact}`})`,
    accept: 'application/json, text/csv, text/html;q=0.9, */*;q=0.8',
    'accept-language': 'zh-TW,zh;q=0.9,en;q=0.5',
    'accept-encoding': 'gzip, deflate',
  }
  const addressOf = (url: string): URL => {
    const own = new URL(url)
    const base = bases.get(own.host)
    return base === undefined ? own : new URL(`${base.replace(/\/$/, '')}${own.pathname}${own.search}`)
  }
  const ask: Exchange['ask'] = async ({ url, form }, mostBytes, stop) => {
    const address = addressOf(url)
    const { host } = address
    const posted = form && {
      method: 'POST' as const,
      body: new URLSearchParams(form).toString(),
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    }
    const informational = new AbortController()
    const signal = AbortSignal.any([AbortSignal.timeout(longestMs), informational.signal, ...(stop ? [stop] : [])])
    const onInfo = limitInformational(reason => informational.abort(reason))
    try {
      client ??= openClient()
      const { agent, request } = await client
      const answer = await request(address, { dispatcher: agent, headers, signal, onInfo, ...posted })
      const problem = statusProblem(answer, host)
      if (problem) {
        await answer.body.dump({ limit: 65_536 }).catch(() => undefined)
        if (problem instanceof Error) throw problem
        return { again: problem }
      }
      return await bodyOf(answer, host, mostBytes)
    } catch (error) {
      stop?.throwIfAborted()
      return { again: unanswered(error as Error, host) }
    }
  }
  return { addressOf, ask, close: async () => (await client)?.agent.destroy() }
}

function certificates(file: string): string {
  const text = readFileSync(file, 'utf8')
  if (!text.includes('-----BEGIN CERTIFICATE-----'))
    throw new Error('FETCH_CA must be the path of a PEM file with certificates, each between BEGIN CERTIFICATE and END CERTIFICATE.')
  return text
}

function statusProblem({ statusCode, headers }: Dispatcher.ResponseData, host: string): Refusal | AskAgain | undefined {
  if (statusCode === 200) return undefined
  const [location, after] = [headers['location'], headers['retry-after']]
  if (AGAIN.has(statusCode)) return { why: `it responded with status ${statusCode}`, afterS: secondsOf(String(after ?? '')) }
  if (statusCode >= 300 && statusCode < 400) {
    const to = typeof location === 'string' && URL.canParse(location, `https://${host}`) ? new URL(location, `https://${host}`) : undefined
    const where = to === undefined ? 'elsewhere' : `to ${to.host}${to.pathname}`
    return refused(
      'sent_on',
      host,
      `${host} sent a redirect ${where} (status ${statusCode}) instead of data. Exchanges do this for unknown paths and parameters. Check the address in the feed's file, or FETCH_BASES.`,
    )
  }
  const hint =
    statusCode === 403
      ? 'It blocks this IP address or client: wait half an hour, then send fewer requests'
      : "Check the address in the feed's file"
  return refused('not_answered', host, `${host} responded with status ${statusCode}. ${hint}.`)
}

/** Parses `Retry-After`, which contains seconds or a date. Null if invalid. */
function secondsOf(text: string): number | null {
  if (/^\d+$/.test(text)) return Number(text)
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1_000))
}

function unanswered(error: Error & { code?: unknown }, host: string): AskAgain {
  if (error.name === 'Refusal') throw error
  if (error.name === 'TimeoutError') return { why: 'its response did not end in time', afterS: null }
  const code = String(error.code ?? error.name)
  if (UNTRUSTED.test(code))
    throw refused(
      'certificate_not_believed',
      host,
      `The certificate of ${host} cannot be verified (${code}). If the server does not send the whole certificate chain, put the missing certificates into a PEM file and set FETCH_CA to its path. Verification cannot be switched off.`,
    )
  if (code === 'ENOTFOUND')
    throw refused('host_not_found', host, `The host name ${host} cannot be resolved. Check the address and the DNS of this machine.`)
  return { why: `the connection failed (${code})`, afterS: null }
}

async function bodyOf({ statusCode, headers, body }: Dispatcher.ResponseData, host: string, mostBytes: number): Promise<Answer> {
  const coding = String(headers['content-encoding'] ?? 'identity').toLowerCase()
  const unpack = UNPACK[coding]
  const tooLarge = (): Refusal =>
    refused(
      'too_large',
      host,
      `${host} sent more than ${mostBytes} bytes, the maximum for this feed. The response was discarded. Check the address in the feed's file.`,
    )
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of body as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > mostBytes) throw tooLarge()
    pieces.push(piece)
  }
  if (unpack === undefined)
    throw refused(
      'unknown_coding',
      host,
      `${host} sent the content encoding ${coding}, which was not requested. Only gzip and deflate are supported.`,
    )
  try {
    const bytes = unpack(Buffer.concat(pieces), mostBytes)
    return {
      body: { bytes, status: statusCode, contentType: headers['content-type'] === undefined ? null : String(headers['content-type']) },
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
    return { again: { why: 'its response was cut off', afterS: null } }
  }
}

/** Functions that decompress a body. Some servers send deflate without the zlib header. */
const UNPACK: Readonly<Record<string, (bytes: Buffer, most: number) => Buffer>> = {
  identity: bytes => bytes,
  gzip: (bytes, most) => gunzipSync(bytes, { maxOutputLength: most }),
  deflate: (bytes, most) =>
    (bytes[0]! & 0x0f) === 8 ? inflateSync(bytes, { maxOutputLength: most }) : inflateRawSync(bytes, { maxOutputLength: most }),
}
