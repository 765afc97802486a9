import type { Format } from '../../../catalog/index.ts'
import type { Grant } from '../../core/index.ts'
import type { Call } from '../../operations/index.ts'
import type { Answered } from './answer.ts'

/** A route whose answers may be at hand: what it declares beside its handler. */
export interface AnswersAtOnce<Q extends object = object> {
  /** What a query string asks, kept for whoever sends it again; null where the handler has to answer. @throws Refusal */
  questionOf(sent: Readonly<Record<string, string>>, accepted: Format): Q | null
  /**
   * Answers a caller whose key is good as the handler does, refusals excepted: it checks the plan and, through `pass`, counts the request.
   *
   * @returns false where nothing has happened, and the handler is to answer
   * @throws whatever it likes: the handler is to answer, too
   */
  answer(question: Q, caller: Grant, call: Call, then: Then): boolean
}

/** What an answer at once calls. */
export interface Then {
  /** Counts the request. @throws Refusal rate_limited */
  readonly pass: () => void
  /** The whole answer: a body in bytes, with its charge. */
  readonly done: (answer: Answered<never>) => void
  /** The handler is to answer. */
  readonly failed: (error: unknown) => void
  /** The use is in the ledger and sending the answer failed: no other may follow. */
  readonly broken: () => void
}
