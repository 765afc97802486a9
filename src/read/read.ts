import type { FreshnessState, IsClosed } from '../calendar/index.ts'
import { encodeJsonRows, type Page } from '../formats/index.ts'
import { type EmptyReason, emptyReason } from './empty.ts'
import type { Answer } from './envelopes/answer.ts'
import { frame } from './envelopes/frame.ts'
import { measurePage } from './page.ts'
import type { ReadPlan } from './plan.ts'

/** What one request adds to a plan and its rows. */
export interface Asked {
  readonly requestId: string
  readonly endpoint: string
  readonly freshness: FreshnessState
  readonly isClosed: IsClosed
}

/** The facts an envelope may state about a fetched page. */
export function answerOf(plan: ReadPlan, page: Page, { requestId, endpoint, freshness, isClosed }: Asked): Answer {
  const { envelope } = plan.dataset
  const measures = envelope.kind === 'A' ? (envelope.measures ?? []) : []
  const empty: EmptyReason | null = page.rows === 0 ? emptyReason(plan, isClosed) : null
  return {
    plan,
    rows: page.rows,
    empty,
    requestId,
    endpoint,
    freshness,
    measures: Object.fromEntries(measures.map(measure => [measure.name, measurePage(page, measure)])),
  }
}

/** The whole JSON body, UTF-8, in pieces cut anywhere. */
export async function encodeJson(answer: Answer, page: Page): Promise<readonly Buffer[]> {
  const { plan } = answer
  const [head, tail] = frame(answer)
  const rows = await encodeJsonRows(plan.dataset.columns, plan.columns, page)
  return [Buffer.from(head), ...rows, Buffer.from(tail)]
}
