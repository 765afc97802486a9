/** Rows to bytes: one encoder per output format. */
import type { Format } from '../../catalog/index.ts'
import type { Encoder } from './encoder.ts'
import { json } from './json.ts'

export { type Body, type BodyStream, openBody } from './body.ts'
export type { Encoder, Frame, Page, RowSet } from './encoder.ts'
export { encodeJsonRows } from './json.ts'

/** The encoder of each format; a format in the catalog without an encoder does not compile. */
export const ENCODERS: Readonly<Record<Format, Encoder>> = { json }
