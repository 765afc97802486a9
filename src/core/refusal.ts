import { REFUSALS, type RefusalCode, type Words } from './errors.ts'
import type { FaultType } from './fault-types.ts'

/** Codes under which the wire names a refusal where that differs from ours: unbounded reads are parameter errors to a client. */
const WIRE_CODE: Partial<Record<RefusalCode, RefusalCode>> = { unbounded_read: 'invalid_parameter' }

/** One mistake in the request, in the shape of `detail` but for its language. */
export interface Fault {
  readonly loc: readonly (string | number)[]
  readonly words: Words
  readonly type: FaultType
  readonly input?: string
}

/** Facts of a refusal, fields of its `error`. A sentence among them is `Words`. */
export type Facts = Readonly<Record<string, unknown>>

/** A failure that is an answer. `facts`, `message` and `words` reach the caller: never put secrets, SQL or file paths in them. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: RefusalCode
  readonly facts: Facts
  /** The sentence in every language; `message` is the English one. */
  readonly words: Words
  readonly faults: readonly Fault[]

  constructor(code: RefusalCode, facts: Facts = {}, words: Words = REFUSALS[code][2], faults: readonly Fault[] = []) {
    super(words.en)
    this.code = code
    this.facts = facts
    this.words = words
    this.faults = faults
  }
  /** The sentence of the code, whatever happened in particular. */
  get general(): Words {
    return REFUSALS[this.code][2]
  }
  get status(): number {
    return REFUSALS[this.code][0]
  }
  get gate(): string | null {
    return REFUSALS[this.code][1]
  }
  get wireCode(): RefusalCode {
    return WIRE_CODE[this.code] ?? this.code
  }
}

/** The names of the dataset a refusal is about, as facts of it. */
export const ofDataset = ({ id, slug }: { readonly id: string; readonly slug: string }) => ({ dataset: id, slug })

/** Refuses a caller for the moment, where the process or the system may open no further file or has no memory for it. */
export const shortage = (): Refusal =>
  new Refusal(
    'overloaded',
    { retry_after: 1 },
    {
      en: 'The service is short of open files or memory; try again.',
      zh: '服務的可開啟檔案數或記憶體不足；請再試一次。',
    },
  )

/** A refusal that only the command line shows, which speaks English. */
export const commandRefusal = (code: RefusalCode, facts: Facts, sentence: string): Refusal =>
  new Refusal(code, facts, { ...REFUSALS[code][2], en: sentence })

/** The sentences of all mistakes as one. */
export const faultWords = (faults: readonly Fault[]): Words => ({
  en: faults.map(({ words }) => words.en).join('; '),
  zh: faults.map(({ words }) => words.zh).join('；'),
})

/** A refusal of the request's body or headers: every mistake at once. */
export const inputRefusal = (faults: readonly Fault[]): Refusal => new Refusal('invalid_parameter', {}, faultWords(faults), faults)

/** A refusal of the request's parameters: every mistake at once, so a caller fixes them in one go. */
export const parameterRefusal = (
  dataset: { readonly id: string; readonly slug: string },
  faults: readonly Fault[],
  code: 'invalid_parameter' | 'unbounded_read' = 'invalid_parameter',
): Refusal => new Refusal(code, ofDataset(dataset), faultWords(faults), faults)
