import { expect, it } from 'vitest'
import * as formats from '../../../ingest/formats/index.ts'
import { textOf } from './documents.ts'

it('the guide to feeds names every function that feeds share', () => {
  const guide = textOf('docs/add-a-feed.md')
  expect(Object.keys(formats).filter(name => !guide.includes(`\`${name}\``))).toEqual([])
})
