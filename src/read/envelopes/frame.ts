import type { Envelope } from '../../../catalog/index.ts'
import type { Frame } from '../../formats/index.ts'
import { envelopeA, envelopeBare } from './a.ts'
import { type Answer, ROWS } from './answer.ts'
import { envelopeB } from './b.ts'
import { envelopeC } from './c.ts'
import { envelopeD } from './d.ts'

const ENVELOPES: { readonly [K in Envelope['kind']]: (answer: Answer, envelope: Extract<Envelope, { kind: K }>) => object } = {
  A: envelopeA,
  'A-bare': envelopeBare,
  B: envelopeB,
  C: envelopeC,
  D: envelopeD,
}

const PLACEHOLDER = JSON.stringify(ROWS)

/** Returns the JSON before and after the rows, including the brackets around the rows. */
export function frame(answer: Answer): Frame {
  const { envelope } = answer.plan.dataset
  const wrap = ENVELOPES[envelope.kind] as (answer: Answer, envelope: Envelope) => object
  const [head, tail] = JSON.stringify(wrap(answer, envelope)).split(PLACEHOLDER) as [string, string]
  return [`${head}[`, `]${tail}`]
}
