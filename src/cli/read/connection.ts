import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { CatalogDataset, DatasetCatalog } from '../../../clients/typescript/src/index.ts'
import type { Asking, Remote, RemoteAnswer, RemoteOptions } from '../../../ingest/mirror/index.ts'
import { commandRefusal, nearest, Refusal } from '../../core/index.ts'
import { say } from '../terminal.ts'
import { keyStore } from './key-store.ts'

export interface ServiceOptions {
  readonly url?: string
  readonly keyFile?: string
}

const DEFAULT_URL = 'http://127.0.0.1:8080'

/** The key is never an option, because other users of the machine can see arguments. */
export const withService = (command: Command): Command =>
  command
    .option('--url <url>', `address of the service; default TWMD_URL or ${DEFAULT_URL}`)
    .option('--key-file <file>', 'file with the API key; default TWMD_API_KEY or the key of twmd login')

/**
 * Returns the address of the service. Default: this machine.
 * @throws Error for an invalid address
 */
export const addressOf = ({ url = process.env['TWMD_URL'] || DEFAULT_URL }: ServiceOptions): string => baseOf(url, '--url')

/**
 * Removes the trailing slash. The address may have a path.
 * @throws Error without the address, which may contain a password
 */
export function baseOf(address: string, option: string): string {
  const parsed = /^https?:\/\//i.test(address) && URL.canParse(address) ? new URL(address) : undefined
  if (parsed && !(parsed.username || parsed.password || parsed.search || parsed.hash))
    return parsed.origin + parsed.pathname.replace(/\/+$/, '')
  const examples = 'https://api.example, or https://example/twmd behind a proxy'
  throw new Error(`${option} must be the address of a service, such as ${examples}, without user name, password and parameters.`)
}

/** @throws Error for an invalid address or key file */
export async function openService(options: ServiceOptions, more: Partial<RemoteOptions> = {}): Promise<Remote> {
  const { openRemote } = await import('../../../ingest/mirror/index.ts')
  const url = addressOf(options)
  const key = await keyOf(url, options)
  return openRemote({ url, tries: 3, waiting: sayWaiting, ...(key === undefined ? {} : { key }), ...more })
}

/**
 * Tries the key file, the environment and the key store, in this order. Undefined or
 * empty if there is no key.
 */
export async function keyOf(address: string, { keyFile }: Pick<ServiceOptions, 'keyFile'>): Promise<string | undefined> {
  if (keyFile !== undefined) return readFileSync(keyFile, 'utf8').trim()
  return process.env['TWMD_API_KEY'] || (await keyStore()?.find(address))
}

export const sayWaiting = (seconds: number, why: string): void => say(`waiting ${seconds} s: ${why}`)

/**
 * @param name slug or id of a dataset
 * @throws Error with the known names if the service has no such dataset
 */
export async function datasetAt(remote: Remote, name: string): Promise<CatalogDataset> {
  const { data } = await jsonAt<DatasetCatalog>(remote, '/v2/datasets')
  const found = data.find(({ slug, dataset }) => slug === name || dataset === name)
  if (found) return found
  const slugs = data.map(({ slug }) => slug)
  const guess = nearest(name, slugs)
  throw new Error(`There is no dataset named ${name}${guess ? `; did you mean ${guess}?` : '.'} Known: ${slugs.join(', ')}`)
}

/** Requests that cost no credits are retried after any failure. */
export const FREE: Asking = { free: true }

/** Reads a document that costs no credits. @throws Refusal */
export const jsonAt = async <T>(remote: Remote, path: string): Promise<T> => (await answerAt<T>(remote, path, FREE)).body

export interface JsonAnswer<T> {
  readonly body: T
  readonly credits: number
  readonly headers: RemoteAnswer['headers']
}

/** @throws Refusal */
export async function answerAt<T>(remote: Remote, path: string, asking?: Asking): Promise<JsonAnswer<T>> {
  const { countIn, DATA_LIMITS, parseJson } = await import('../../../ingest/mirror/index.ts')
  const { bytes, headers } = await asked(() => remote.read(path, asking))
  const body = parseJson(bytes, DATA_LIMITS)
  if (body !== undefined) return { body: body as T, credits: countIn(headers, 'x-credits-charged'), headers }
  throw commandRefusal('conflict', {}, 'The response is not from a twmd service. Check the address.')
}

/** If the key is missing, the error explains how to set the key. @throws Refusal */
export async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof Refusal) || error.facts['code'] !== 'missing_api_key') throw error
    throw commandRefusal('conflict', error.facts, 'API key required. Set TWMD_API_KEY, or store the key with twmd login.')
  }
}

export function withQuery(path: string, params: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(params).filter((one): one is [string, string] => one[1] !== undefined)
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`
}
