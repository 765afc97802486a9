import { Agent, get } from 'node:http'
import { bucketOf } from '../catalog/bucket.ts'
import { pathOf } from '../catalog/dataset.ts'
import { type Size, tickersOf } from './data.ts'
import { openRaw, readRaw } from './raw.ts'
import type { Served } from './server.ts'
import { type Line, median } from './table.ts'

/** The newest 50 rows of a ticker. */
export const pathFor = (ticker: string): string => `${pathOf({ slug: 'institutional-positioning' } as never)}?symbol=${ticker}`
