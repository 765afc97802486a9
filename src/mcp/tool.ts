import { z } from 'zod'
import { type Fault, type Grant, inputRefusal, Refusal, type Words, withoutSecrets } from '../core/index.ts'
import type { Call, Charge } from '../operations/index.ts'

/** Context of one call of a tool. */
export interface ToolCall extends Call {
  /** Who reads; null for nobody: no key was sent, and data is not read without one. */
  readonly caller: Grant | null
  /** What sentences are written in. */
  readonly language: keyof Words
  /** Is told what the answer cost. */
  readonly onCharge?: (charge: Charge) => void
}

/** What a tool is called with and answers, as the protocol lists it. */
interface ListedTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: ObjectSchema
  readonly outputSchema: ObjectSchema
  readonly annotations: typeof READS_ONLY
}

/** A JSON Schema of an object. */
interface ObjectSchema {
  readonly type: 'object'
  readonly [word: string]: unknown
}

/** A tool that agents call. */
export interface Tool {
  readonly listed: ListedTool
  /** @throws Refusal invalid_parameter naming every mistake in the arguments; what the tool throws */
  readonly run: (given: unknown, call: ToolCall) => Promise<Readonly<Record<string, unknown>>>
}

/** Every tool reads, and asks nobody beyond this service. */
const READS_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const

/** A tool from its schemas: arguments are checked against the one, answers have the type of the other. */
export function tool<I extends z.ZodObject, O extends z.ZodObject>(
  said: { readonly name: string; readonly title: string; readonly description: string; readonly input: I; readonly output: O },
  run: (input: z.output<I>, call: ToolCall) => Promise<z.input<O>>,
): Tool {
  const { input, output, ...names } = said
  return {
    listed: {
      ...names,
      inputSchema: schemaOf(input, 'input'),
      outputSchema: orRefusal(schemaOf(output, 'output')),
      annotations: READS_ONLY,
    },
    run: async (given, call) => run(argumentsOf(input, given), call),
  }
}

/** A schema without what tells a model nothing: agents carry the schemas of all tools along. */
function schemaOf(schema: z.ZodObject, io: 'input' | 'output'): ObjectSchema {
  const { $schema: _, ...made } = z.toJSONSchema(schema, {
    io,
    override({ jsonSchema }) {
      if (jsonSchema.format === 'date') delete jsonSchema.pattern
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      // Answers may grow.
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    },
  })
  return { ...made, type: 'object' }
}

/**
 * The schema of an answer, which a refusal meets as well: clients of earlier revisions hold refusals to it, too. What an answer has stays at
 * the top, where hosts look for it.
 */
function orRefusal({ properties, required, ...schema }: ObjectSchema): ObjectSchema {
  return { ...schema, properties: { ...(properties as object), error: REFUSED }, anyOf: [{ required }, { required: ['error'] }] }
}

const REFUSED = {
  type: 'object',
  properties: { error_code: { type: 'string' }, error_message: { type: 'string' } },
  required: ['error_code', 'error_message'],
  description: 'Instead of all else: why there is no answer, and what_next.',
}

function argumentsOf<I extends z.ZodObject>(schema: I, given: unknown): z.output<I> {
  const parsed = schema.safeParse(given ?? {}, { reportInput: true })
  if (parsed.success) return parsed.data
  throw inputRefusal(parsed.error.issues.map(issue => faultOf(issue, Object.keys(schema.shape))))
}

function faultOf(issue: z.core.$ZodIssue, known: readonly string[]): Fault {
  const path = issue.path.map(step => (typeof step === 'number' ? step : String(step)))
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.slice(0, 10).map(key => withoutSecrets(key).slice(0, 100))
    const words = {
      en: `${names.join(', ')}: not an argument of this tool; known: ${known.join(', ')}`,
      zh: `${names.join('、')} 不是此工具的參數；可用的參數：${known.join('、')}`,
    }
    return { loc: ['arguments', ...path], words, type: 'unknown_parameter' }
  }
  const name = path.join('.') || 'arguments'
  const isMissing = issue.code === 'invalid_type' && issue.input === undefined
  const said = isMissing && issue.message.startsWith('Invalid input') ? 'missing, and this tool needs it' : issue.message
  const words = {
    en: `${name}: ${said}`,
    zh: isMissing ? `此工具需要 ${name}` : `${name} 不符合此工具的輸入格式：${issue.message}`,
  }
  return { loc: ['arguments', ...path], words, type: isMissing ? 'missing' : 'pattern' }
}

/** Who reads. @throws Refusal missing_api_key, which says how to get a key */
export function readerOf({ caller }: ToolCall): Grant {
  if (caller) return caller
  throw new Refusal('missing_api_key', {}, NO_KEY)
}

const NO_KEY: Words = {
  en: 'This tool needs an API key, which is free: a person signs in at /account of this service, creates one, and puts it into the configuration of the MCP client as the header Authorization: Bearer sk_live_…. Without a key, describe_dataset and whats_new answer.',
  zh: '此工具需要 API 金鑰（免費）：請在本服務的 /account 登入並建立金鑰，再於 MCP 用戶端設定標頭 Authorization: Bearer sk_live_…。沒有金鑰時可使用 describe_dataset 與 whats_new。',
}

/** What an answer cost, as every priced tool says it. */
export const Cost = z.object({
  credits: z.int().meta({ description: 'Credits this answer cost.' }),
  credits_left: z.int().nullable().meta({ description: 'Credits left in this period; null for readers without an account.' }),
})

/** Says what an answer cost, to the agent and to whoever sends the answer. */
export function costOf({ caller, onCharge }: ToolCall, charge: Charge): z.input<typeof Cost> {
  onCharge?.(charge)
  return { credits: charge.credits, credits_left: caller?.isVisitor ? null : charge.quota.balance.remaining }
}

/** How many credits, in words. */
export const inCredits = (credits: number): string => `${credits} ${credits === 1 ? 'credit' : 'credits'}`
