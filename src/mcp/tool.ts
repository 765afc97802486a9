import { z } from 'zod'
import { type Fault, type Grant, inputRefusal, Refusal, type Words, withoutSecrets } from '../core/index.ts'
import type { Call, Charge } from '../operations/index.ts'

export interface ToolCall extends Call {
  /** Null for a caller without an API key. */
  readonly caller: Grant | null
  readonly language: keyof Words
  readonly onCharge?: (charge: Charge) => void
}

interface ListedTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: ObjectSchema
  readonly outputSchema: ObjectSchema
  readonly annotations: typeof READ_ONLY
}

interface ObjectSchema {
  readonly type: 'object'
  readonly [word: string]: unknown
}

export interface Tool {
  readonly listed: ListedTool
  /** @throws Refusal invalid_parameter with all faults of the arguments */
  readonly run: (args: unknown, call: ToolCall) => Promise<Readonly<Record<string, unknown>>>
}

/** Hints for hosts: tools change nothing and read only data of this service. */
const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const

export function tool<I extends z.ZodObject, O extends z.ZodObject>(
  declaration: { readonly name: string; readonly title: string; readonly description: string; readonly input: I; readonly output: O },
  run: (input: z.output<I>, call: ToolCall) => Promise<z.input<O>>,
): Tool {
  const { input, output, ...names } = declaration
  return {
    listed: {
      ...names,
      inputSchema: schemaOf(input, 'input'),
      outputSchema: withRefusal(schemaOf(output, 'output')),
      annotations: READ_ONLY,
    },
    run: async (args, call) => run(parseArguments(input, args), call),
  }
}

/** Omits parts of the schema that do not help a language model. */
function schemaOf(schema: z.ZodObject, io: 'input' | 'output'): ObjectSchema {
  const { $schema: _, ...objectSchema } = z.toJSONSchema(schema, {
    io,
    override({ jsonSchema }) {
      if (jsonSchema.format === 'date') delete jsonSchema.pattern
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    },
  })
  return { ...objectSchema, type: 'object' }
}

/** Adds the form of refusals, because older clients also validate refusals. */
function withRefusal({ properties, required, ...schema }: ObjectSchema): ObjectSchema {
  return { ...schema, properties: { ...(properties as object), error: REFUSAL_SCHEMA }, anyOf: [{ required }, { required: ['error'] }] }
}

const REFUSAL_SCHEMA = {
  type: 'object',
  properties: { error_code: { type: 'string' }, error_message: { type: 'string' } },
  required: ['error_code', 'error_message'],
  description: 'Reason and next step if the call failed. Other fields are absent in this case.',
}

function parseArguments<I extends z.ZodObject>(schema: I, args: unknown): z.output<I> {
  const parsed = schema.safeParse(args ?? {}, { reportInput: true })
  if (parsed.success) return parsed.data
  throw inputRefusal(parsed.error.issues.map(issue => faultOf(issue, Object.keys(schema.shape))))
}

function faultOf(issue: z.core.$ZodIssue, argumentNames: readonly string[]): Fault {
  const path = issue.path.map(step => (typeof step === 'number' ? step : String(step)))
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.slice(0, 10).map(key => withoutSecrets(key).slice(0, 100))
    const words = {
      en: `${names.join(', ')}: not an argument of this tool; accepted: ${argumentNames.join(', ')}`,
      zh: `${names.join('、')} 不是此工具的參數；可用的參數：${argumentNames.join('、')}`,
    }
    return { loc: ['arguments', ...path], words, type: 'unknown_parameter' }
  }
  const name = path.join('.') || 'arguments'
  const isMissing = (issue.code === 'invalid_type' || issue.code === 'invalid_value') && issue.input === undefined
  const choices = issue.code === 'invalid_value' ? issue.values.join(', ') : ''
  const problem = isMissing && issue.message.startsWith('Invalid') ? 'required by this tool' : choices ? 'invalid value' : issue.message
  const words = {
    en: `${name}: ${problem}${choices && `; accepted: ${choices}`}`,
    zh: `${isMissing ? `此工具需要 ${name}` : `${name} 不符合此工具的輸入格式${choices ? '' : `：${issue.message}`}`}${choices && `；可用的值：${choices}`}`,
  }
  return { loc: ['arguments', ...path], words, type: isMissing ? 'missing' : 'pattern' }
}

/** @throws Refusal missing_api_key, which explains how to get a key */
export function requireCaller({ caller }: ToolCall): Grant {
  if (caller) return caller
  throw new Refusal('missing_api_key', {}, NO_KEY)
}

const NO_KEY: Words = {
  en: 'This tool requires an API key, which is free. The user signs in at /account of this service, creates a key and sets the header Authorization: Bearer sk_live_… in the MCP client; describe_dataset and whats_new work without a key.',
  zh: '此工具需要 API 金鑰（免費）。請使用者在本服務的 /account 登入並建立金鑰，再於 MCP 用戶端設定標頭 Authorization: Bearer sk_live_…；describe_dataset 與 whats_new 無須金鑰。',
}

export const Cost = z.object({
  credits: z.int().meta({ description: 'Credits charged for this call.' }),
  credits_left: z.int().nullable().meta({ description: 'Remaining credits of the period. Null for callers without an account.' }),
})

export function costOf({ caller, onCharge }: ToolCall, charge: Charge): z.input<typeof Cost> {
  onCharge?.(charge)
  return { credits: charge.credits, credits_left: caller?.isVisitor ? null : charge.quota.balance.remaining }
}

export const inCredits = (credits: number): string => `${credits} ${credits === 1 ? 'credit' : 'credits'}`
