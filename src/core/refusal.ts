import { REFUSALS, type RefusalCode, type Words } from './errors.ts'

/** Codes under which the wire names a refusal where that differs from ours: unbounded reads are parameter errors to a client. */
const WIRE_CODE: Partial<Record<RefusalCode, RefusalCode>> = { unbounded_read: 'invalid_parameter' }

/** What can be wrong with a value that was sent, as `type` names it in every answer. */
export const FAULT_TYPES = {
  missing: 'It has to be sent.',
  empty: 'It was sent without a value.',
  unknown_parameter: 'Nothing of that name is taken here.',
  repeated_parameter: 'It was sent more than once.',
  repeated_value: 'It names a value twice.',
  wrong_type: 'Text, number, object or another kind of value is wanted.',
  enum: 'It is none of the words that are taken.',
  unknown_field: 'It names a field that does not exist.',
  pattern: 'It does not have the form of such a value.',
  characters: 'It holds characters no value has.',
  int_range: 'It is not a whole number between the bounds.',
  bool: 'It is neither true nor false.',
  date: 'It is not a day.',
  timestamp: 'It is not a moment.',
  reused_name: 'It named another call before.',
  range: 'It does not fit the other parameters, the present day, or what a column can hold.',
  too_many: 'It holds more values than are taken.',
  too_long: 'It holds more characters than are taken.',
  email: 'It is not one plain address.',
  url: 'It is not an address of this service.',
} as const satisfies Readonly<Record<string, string>>

export type FaultType = keyof typeof FAULT_TYPES

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
