import { REFUSALS, type RefusalCode, type Words } from './errors.ts'

/** Public code of each internal code, where the two differ. */
const WIRE_CODE: Partial<Record<RefusalCode, RefusalCode>> = { unbounded_read: 'invalid_parameter' }

export const FAULT_TYPES = {
  missing: 'A required value was not sent.',
  empty: 'The value is empty.',
  unknown_parameter: 'The operation has no such parameter or field.',
  repeated_parameter: 'The parameter was sent more than once.',
  repeated_value: 'The list contains a value twice.',
  wrong_type: 'The value has the wrong type, for example text instead of a number.',
  enum: 'The value is not one of the allowed values.',
  unknown_field: 'The field does not exist.',
  pattern: 'The value does not have the required format.',
  characters: 'The value contains characters that are not allowed.',
  int_range: 'The value is not an integer within the bounds.',
  bool: 'The value is not true or false.',
  date: 'The value is not a date.',
  timestamp: 'The value is not a timestamp.',
  reused_name: 'The id of the request was already used for a different call.',
  range: 'The value conflicts with the other parameters, the current day, or the range of the column.',
  too_many: 'The list contains too many values.',
  too_long: 'The value contains too many characters.',
  email: 'The value is not a single plain e-mail address.',
  url: 'The value is not an address of this service.',
  sql_syntax: 'The value is not a valid query.',
  sql_not_allowed: 'The query uses something that queries cannot use.',
  sql_budget: 'The query exceeds a limit of the plan.',
} as const satisfies Readonly<Record<string, string>>

export type FaultType = keyof typeof FAULT_TYPES

export interface Fault {
  readonly loc: readonly (string | number)[]
  readonly words: Words
  readonly type: FaultType
  readonly input?: string
}

/** Fields of `error` in the response. */
export type Facts = Readonly<Record<string, unknown>>

/**
 * An error that becomes the response. `facts`, `message` and `words` are public, so they must not
 * contain secrets, SQL or file paths.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: RefusalCode
  readonly facts: Facts
  /** The message in all languages. `message` is the English text. */
  readonly words: Words
  readonly faults: readonly Fault[]

  constructor(code: RefusalCode, facts: Facts = {}, words: Words = REFUSALS[code][2], faults: readonly Fault[] = []) {
    super(words.en)
    this.code = code
    this.facts = facts
    this.words = words
    this.faults = faults
  }
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

export const ofDataset = ({ id, slug }: { readonly id: string; readonly slug: string }) => ({ dataset: id, slug })

/** Refusal of a process that has no free file descriptors or memory. */
export const shortage = (): Refusal =>
  new Refusal(
    'overloaded',
    { retry_after: 1 },
    {
      en: 'The service is out of file handles or memory. Try again.',
      zh: '服務可開啟的檔案數或記憶體不足。請再試一次。',
    },
  )

export const commandRefusal = (code: RefusalCode, facts: Facts, sentence: string): Refusal =>
  new Refusal(code, facts, { ...REFUSALS[code][2], en: sentence })

export const faultWords = (faults: readonly Fault[]): Words => ({
  en: faults.map(({ words }) => words.en).join('; '),
  zh: faults.map(({ words }) => words.zh).join('；'),
})

export const inputRefusal = (faults: readonly Fault[]): Refusal => new Refusal('invalid_parameter', {}, faultWords(faults), faults)

export const parameterRefusal = (
  dataset: { readonly id: string; readonly slug: string },
  faults: readonly Fault[],
  code: 'invalid_parameter' | 'unbounded_read' = 'invalid_parameter',
): Refusal => new Refusal(code, ofDataset(dataset), faultWords(faults), faults)
