/**
 * Reads rows as Arrow tables, with exact 64-bit integers. The fastest way to read many rows.
 * Requires `apache-arrow`.
 */
import { type Table, tableFromIPC } from 'apache-arrow'
import type { Client, ReadName, ReadParams } from './client.ts'
import type { Download } from './page.ts'
import type { CallOptions } from './request.ts'

/**
 * One page of rows as an Arrow table. Days and times are in milliseconds. Objects and arrays have
 * `toJSON()`.
 */
export interface ArrowPage extends Omit<Download, 'stream'> {
  readonly table: Table
}

/**
 * Reads one page.
 *
 * @throws TwmdError
 */
export async function arrow<Name extends ReadName>(
  client: Pick<Client, 'download'>,
  name: Name,
  params: ReadParams<Name>,
  options: CallOptions = {},
): Promise<ArrowPage> {
  const { stream, ...facts } = await client.download(name, params, { ...options, format: 'arrow' })
  return { ...facts, table: await tableFromIPC(stream) }
}

/**
 * Reads all pages, from one release. Each page is charged as one read.
 *
 * @throws TwmdError
 */
export async function* arrowPages<Name extends ReadName>(
  client: Pick<Client, 'downloads'>,
  name: Name,
  params: ReadParams<Name>,
  options: CallOptions = {},
): AsyncGenerator<ArrowPage, void> {
  for await (const { stream, ...facts } of client.downloads(name, params, { ...options, format: 'arrow' }))
    yield { ...facts, table: await tableFromIPC(stream) }
}
