import { type Dataset, type Format, pathOf } from '../../catalog/index.ts'
import { freshnessState } from '../calendar/index.ts'
import type { Grant } from '../core/index.ts'
import { answerOf, encodeAtOnce, likelyBytes, type MadeAnswer, pageAtHand, type Question, questionOf } from '../read/index.ts'
import type { Release, Releases } from '../releases/index.ts'
import { type AtOnce, type Call, chargeAtOnce } from './metering.ts'
import { describe, type ReadAnswer, type ReadDeps } from './read-dataset.ts'

/** The read of one dataset, where nothing of it has to be waited for: its rows, or the whole answer, are in memory, and few. */
export interface ReadAtOnce {
  /** What a query string asks. Null where its answer is not of the kind that is made at once. @throws Refusal of the parameters */
  questionOf(dataset: Dataset, params: Readonly<Record<string, string>>, accepted: Format): Question | null
  /**
   * Answers a question as a read of the same parameters does: the same body, ledger entry and log line.
   *
   * @returns false where the answer has to be waited for or is none: then nothing has happened, and the caller is answered by a read
   * @throws Refusal, and whatever else: then the request was counted at most, and the caller is answered by a read, too
   */
  answer(
    question: Question,
    caller: Grant,
    call: Call,
    then: Pick<AtOnce<never>, 'pass' | 'failed' | 'broken'> & { readonly done: (answer: ReadAnswer) => void },
  ): boolean
}

/** Larger answers are made in turns with others, and hold memory of their account until they have left. */
const MOST_BYTES = 64 * 1_024

export function createReadAtOnce(deps: ReadDeps): ReadAtOnce {
  const { gate, releases, columns, answers, calendar, clock } = deps
  return {
    questionOf(dataset, params, accepted) {
      const question = questionOf(dataset, params, accepted)
      return question.format === 'json' && params['dry_run'] !== 'true' ? question : null
    },
    answer(question, caller, call, { pass, done, ...otherwise }) {
      const { dataset, params } = question
      const release = releaseAtHand(dataset, releases, params['release'])
      if (!release) return false
      gate.checkPlan(caller, dataset)
      const plan = question.planFor(release, caller)
      const freshness = freshnessState({ dataset, release }, clock(), calendar.isClosed)
      const etag = question.tagOf(plan, freshness, calendar)
      call.time.lap('plan')
      const kept = answers.get(etag, call.requestId)
      const page = kept ? undefined : pageAtHand(plan, columns)
      if (kept ? !isSmall(kept) : !page || page.rows === 0 || likelyBytes(plan, page.rows) > MOST_BYTES) return false
      call.time.lap('fetch')
      const make = (): MadeAnswer => {
        const answer = answerOf(plan, page!, {
          requestId: call.requestId,
          endpoint: pathOf(dataset),
          freshness,
          isClosed: calendar.isClosed,
        })
        const made = { body: encodeAtOnce(answer, page!), rows: page!.rows, more: page!.more, limited: answer.limited, empty: null }
        answers.keep(etag, call.requestId, made)
        call.time.lap('encode')
        // The estimate was too low. Nothing is charged yet, and the read finds the answer where it is kept.
        if (!isSmall(made)) throw new Error(`an answer of ${made.body.length} bytes does not leave at once`)
        return made
      }
      return chargeAtOnce(deps, caller, dataset, call, {
        pass,
        work: () => ({ ...(kept ?? make()), release: release.id }),
        done({ body, rows, more, limited, charge }) {
          const next = more ? question.nextOf(plan) : null
          done({ meta: { ...describe(plan, etag), rows, limited, empty: null, next, charge, timings: call.time.laps }, body })
        },
        ...otherwise,
      })
    },
  }
}

const isSmall = ({ body, rows }: MadeAnswer): boolean => rows > 0 && body.length <= MOST_BYTES

/** The served release, where it is the one that is asked for. */
function releaseAtHand(dataset: Dataset, releases: Releases, pinned: unknown): Release | null {
  const release = releases.served(dataset)
  return pinned === undefined || pinned === release?.id ? release : null
}
