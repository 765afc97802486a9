import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { CatalogDataset, DatasetCatalog } from '../../../clients/typescript/src/index.ts'
import type { Asking, Remote, RemoteAnswer, RemoteOptions } from '../../../ingest/mirror/index.ts'
import { commandRefusal, nearest, Refusal } from '../../core/index.ts'
import { say } from '../terminal.ts'
import { keyStore } from './key-store.ts'

/** Which service a command asks, and with which key. */
export interface ServiceOptions {
  readonly url?: string
  readonly keyFile?: string
}

const DEFAULT_URL = 'http://127.0.0.1:8080'

/** Adds the options that name a service. A key is no option: other users of the machine see arguments. */
export const withService = (command: Command): Command =>
  command
    .option('--url <url>', `address of the service; default TWMD_URL or ${DEFAULT_URL}`)
    .option('--key-file <file>', 'file with the API key; default TWMD_API_KEY or the key of twmd login')

/** The address of the service that is named, or of this machine's. @throws Error like `baseOf` */
export const addressOf = ({ url = process.env['TWMD_URL'] || DEFAULT_URL }: ServiceOptions): string => baseOf(url, '--url')

/**
 * An address without the slash at its end. A path belongs to it: a proxy may have the service below one.
 *
 * @throws Error for anything else, without repeating it: a password may be in it
 */
export function baseOf(address: string, option: string): string {
  const parsed = /^https?:\/\//i.test(address) && URL.canParse(address) ? new URL(address) : undefined
  if (parsed && !(parsed.username || parsed.password || parsed.search || parsed.hash))
    return parsed.origin + parsed.pathname.replace(/\/+$/, '')
  const examples = 'https://api.example, or https://example/twmd where a proxy has it below a path'
  throw new Error(`${option} takes the address of a service, such as ${examples}; no name, password or parameters belong into it.`)
}

/** The service that a command asks. @throws Error where address or key file are none */
export async function openService(options: ServiceOptions, more: Partial<RemoteOptions> = {}): Promise<Remote> {
  const { openRemote } = await import('../../../ingest/mirror/index.ts')
  const url = addressOf(options)
  const key = await keyOf(url, options)
  return openRemote({ url, tries: 3, waiting: sayWaiting, ...(key === undefined ? {} : { key }), ...more })
}

/** The key for a service: of the file that was named, of the environment, of the key store; undefined or empty where there is none. */
export async function keyOf(address: string, { keyFile }: Pick<ServiceOptions, 'keyFile'>): Promise<string | undefined> {
  if (keyFile !== undefined) return readFileSync(keyFile, 'utf8').trim()
  return process.env['TWMD_API_KEY'] || (await keyStore()?.find(address))
}

/** Says on the error stream that a request is made again, and why. */
export const sayWaiting = (seconds: number, why: string): void => say(`waiting ${seconds} s: ${why}`)

/** @throws Error naming those there are, where the service has none of that name; slugs and ids are both taken */
export async function datasetAt(remote: Remote, name: string): Promise<CatalogDataset> {
  const { data } = await jsonAt<DatasetCatalog>(remote, '/v2/datasets')
  const found = data.find(({ slug, dataset }) => slug === name || dataset === name)
  if (found) return found
  const slugs = data.map(({ slug }) => slug)
  const guess = nearest(name, slugs)
  throw new Error(`There is no dataset named ${name}${guess ? `; did you mean ${guess}?` : '.'} Known: ${slugs.join(', ')}`)
}

/** Of what costs nothing, and may be asked again whatever became of it. */
export const FREE: Asking = { free: true }

/** What is free, as JSON. @throws Refusal */
export const jsonAt = async <T>(remote: Remote, path: string): Promise<T> => (await answerAt<T>(remote, path, FREE)).body

export interface JsonAnswer<T> {
  readonly body: T
  readonly credits: number
  readonly headers: RemoteAnswer['headers']
}

/** A whole answer as JSON, and the credits it cost. @throws Refusal */
export async function answerAt<T>(remote: Remote, path: string, asking?: Asking): Promise<JsonAnswer<T>> {
  const { countIn, DATA_LIMITS, parseJson } = await import('../../../ingest/mirror/index.ts')
  const { bytes, headers } = await asked(() => remote.read(path, asking))
  const body = parseJson(bytes, DATA_LIMITS)
  if (body !== undefined) return { body: body as T, credits: countIn(headers, 'x-credits-charged'), headers }
  throw commandRefusal('conflict', {}, 'What answers is not a twmd service, or stands in front of one; look at the address.')
}

/** Says how a key is given where one is missing. @throws Refusal */
export async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof Refusal) || error.facts['code'] !== 'missing_api_key') throw error
    throw commandRefusal('conflict', error.facts, 'This needs an API key: put one into TWMD_API_KEY, or store it with twmd login.')
  }
}

/** A path with the parameters that have a value. */
export function withQuery(path: string, params: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(params).filter((one): one is [string, string] => one[1] !== undefined)
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`
}
