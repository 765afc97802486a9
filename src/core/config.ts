import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { PLAN_IDS, type PlanId } from '../../catalog/index.ts'
import { SECRET_NAMES, type SecretName, splitList, withSecretFiles } from './environment.ts'
import { paymentMistakes, type StripeConfig, stripeConfig } from './payment-settings.ts'
import { machineMemory } from './process.ts'
import { Collector, TraceHeaders, TraceRatio, type TraceSettings, traceSettings } from './trace-settings.ts'

const number = (least: number, most: number) => {
  const message = `must be a whole number from ${least} to ${most}`
  return z.coerce.number({ error: message }).int(message).min(least, message).max(most, message)
}
const whole = (absent: number, least: number, most: number) => number(least, most).default(absent)
const Memory = z.string().regex(/^\d+(\.\d+)?(KB|MB|GB)$/, 'must be a size, for example 2GB')
/** Converts `90d` to 90. */
export const Retention = z
  .string()
  .regex(/^[1-9]\d{0,4}d$/, 'must be a number of days, for example 90d')
  .transform(text => Number(text.slice(0, -1)))
const Secret = z.string().min(1).optional()
/** One secret, or the current and the former secret separated by a comma. */
const RotatedSecret = z
  .string()
  .refine(text => text.split(',').every(part => part.trim() !== ''), 'must not have an empty value between commas')
  .optional()

/** Default cache size in bytes: an eighth of the process's memory, from 64 MiB to 1 GiB. */
const cacheBytes = (): number => Math.floor(Math.min(Math.max(machineMemory() / 8, 2 ** 26), 2 ** 30))

/**
 * Below this memory (in bytes), the engine returns freed memory to the operating system. Returning
 * memory takes time, so machines with more memory do not return it.
 */
const TIGHT = 2 ** 32

/** Default engine memory: a quarter of the process's memory, from 256 MB to 2 GB. */
const engineMemory = (): string => `${Math.floor(Math.min(Math.max(machineMemory() / 4 / 1e6, 256), 2_000))}MB`

const isOrigin = (text: string): boolean => /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text

const isBase = (text: string): boolean => {
  const [, url = ''] = /^[\w.:-]+=(https?:\/\/.+)$/.exec(text) ?? []
  return URL.canParse(url) && new URL(url).search === ''
}

const is32Bytes = (text: string): boolean => /^[A-Za-z0-9+/]+=*$/.test(text) && Buffer.from(text, 'base64').length === 32

const Environment = z.object({
  NODE_ENV: z.enum(['development', 'test', 'production'], { error: 'must be development, test or production' }).default('development'),
  PORT: whole(8080, 0, 65_535),
  HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: number(0, 65_535).optional(),
  DATA_DIR: z.string().default('./data'),
  STATE_DB: z.string().optional(),
  PUBLIC_URL: z.url().optional(),
  KEY_PEPPER: RotatedSecret,
  KEY_ENCRYPTION_KEY: z
    .string()
    .refine(
      text => text.split(',').every(is32Bytes),
      'must be 32 bytes in base64, or two such values separated by a comma during key rotation',
    )
    .optional(),
  SERVICE_TOKEN: Secret,
  ADMIN_TOKEN: Secret,
  DIAGNOSTICS_SECRET: Secret,
  DIAGNOSTICS_PROBE: Secret,
  FILE_SIGNING_SECRET: RotatedSecret,
  MAIL_URL: z
    .string()
    .regex(/^(smtps?:\/\/|file:\/\/\/|console:$)/, 'must start with smtp://, smtps:// or file:///, or be console:')
    .default('console:'),
  MAIL_FROM: z.string().default('twmd <no-reply@localhost>'),
  /** Addresses of trusted proxies. The service ignores `X-Forwarded-For` from other clients. */
  TRUST_PROXY: z.string().optional(),
  CORS_ORIGINS: z
    .string()
    .refine(
      text => splitList(text).every(isOrigin),
      'must be origins as browsers send them, for example https://app.example, separated by commas',
    )
    .optional(),
  VISITORS: z
    .enum(['off', ...PLAN_IDS], { error: `must be off, or the plan whose data visitors can read: ${PLAN_IDS.join(', ')}` })
    .default('off'),
  MAX_CONNECTIONS: whole(4_096, 4, 1_000_000),
  STRIPE_SECRET_KEY: Secret,
  STRIPE_WEBHOOK_SECRET: Secret,
  STRIPE_API_BASE: z.url().optional(),
  STRIPE_PRICE_PRO: Secret,
  STRIPE_PRICE_MAX: Secret,
  /** Bytes for cached histories. 0 disables the cache. */
  CACHE_BYTES: whole(cacheBytes(), 0, 2 ** 40),
  /** Bytes for cached answers. 0 disables the cache. */
  ANSWER_BYTES: whole(Math.floor(cacheBytes() / 8), 0, 2 ** 40),
  DUCKDB_MEMORY_LIMIT: Memory.default(engineMemory()),
  DUCKDB_THREADS: whole(1, 1, 64),
  QUERY_TIMEOUT_MS: whole(5_000, 1, 600_000),
  SQL: z.enum(['on', 'off'], { error: 'must be on or off' }).default('off'),
  /** Maximum number of concurrent SQL queries. Each query runs in a separate process. */
  SQL_WORKERS: whole(availableParallelism() > 2 ? 2 : 1, 1, 16),
  /** Memory per SQL process, in MB. A plan can have a lower limit. */
  SQL_MEMORY_MB: whole(Math.floor(Math.min(Math.max(machineMemory() / 4 / 2 ** 20, 256), 1_024)), 64, 65_536),
  SCRUB_MB_PER_SECOND: whole(16, 1, 10_000),
  PUBLISH_MEMORY_LIMIT: Memory.optional(),
  INBOX: z.enum(['on', 'off'], { error: 'must be on or off' }).default('off'),
  INBOX_SETTLE_MS: whole(2_000, 100, 86_400_000),
  QUARANTINE_MAX_MB: whole(1_024, 1, 1_000_000_000),
  QUARANTINE_MAX_DAYS: whole(90, 1, 100_000),
  /** Pairs `host=URL` that redirect downloads. */
  FETCH_BASES: z
    .string()
    .refine(
      text => splitList(text).every(isBase),
      'must be hosts and their replacement addresses, for example www.twse.com.tw=https://mirror.example/twse, separated by commas',
    )
    .optional(),
  /**
   * Hosts that permit automatic downloads to this operator. The terms of these hosts forbid
   * automatic downloads to others.
   */
  FETCH_CONSENT: z
    .string()
    .refine(text => splitList(text).every(host => /^[\w.-]+(:\d+)?$/.test(host)), 'must be host names, separated by commas')
    .optional(),
  FETCH_CONTACT: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must be a mail or page address without spaces')
    .optional(),
  FETCH_CA: z.string().optional(),
  /** Base URL. The exporter appends the path for traces. */
  OTEL_EXPORTER_OTLP_ENDPOINT: Collector,
  OTEL_EXPORTER_OTLP_HEADERS: TraceHeaders,
  OTEL_SERVICE_NAME: z.string().default('twmd'),
  OTEL_TRACES_SAMPLER_ARG: TraceRatio.default(1),
  WEBHOOK_PRIVATE_HOSTS: z.enum(['on', 'off'], { error: 'must be on or off' }).default('off'),
  RETENTION: Retention.optional(),
  /** Feeds to fetch automatically. `on` selects all feeds. */
  SCHEDULE: z.string().default('off'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
})

export interface Config {
  readonly production: boolean
  readonly port: number
  readonly host: string
  /** Port on the loopback interface. Undefined disables metrics. */
  readonly metricsPort: number | undefined
  readonly publicUrl: string | undefined
  readonly dataDir: string
  readonly releasesDir: string
  readonly stateDb: string
  readonly secrets: Readonly<Partial<Record<SecretName, string>>>
  readonly mail: { readonly url: string; readonly from: string }
  /** Null if billing is disabled. */
  readonly stripe: StripeConfig | null
  readonly trustProxy: readonly string[]
  /** Origins of web pages that may read data. */
  readonly corsOrigins: readonly string[]
  /** Plan whose data is visible without an account. Null if reading requires an account. */
  readonly visitors: PlanId | null
  /** Maximum number of open connections, or half of the file descriptors if that is less. */
  readonly maxConnections: number
  readonly duckdb: { readonly memoryLimit: string; readonly threads: number; readonly returnsMemory: boolean }
  readonly cacheBytes: number
  readonly answerBytes: number
  readonly queryTimeoutMs: number
  /** `memoryMb` is per process. */
  readonly sql: { readonly isOn: boolean; readonly workers: number; readonly memoryMb: number }
  readonly scrubMbPerSecond: number
  /** Memory limit during a publication. If undefined, derived from the machine's memory. */
  readonly publishMemoryLimit: string | undefined
  /** Limits for the stored refused files. `days` is the maximum age. */
  readonly quarantine: { readonly bytes: number; readonly days: number }
  readonly fetch: FetchSettings
  /** Null if tracing is disabled. */
  readonly traces: TraceSettings | null
  /**
   * Releases that are no longer served are deleted after this number of days. Undefined if releases
   * are never deleted.
   */
  readonly retentionDays: number | undefined
  /** Feeds to fetch automatically. An empty list means all feeds. Null fetches nothing. */
  readonly schedule: readonly string[] | null
  /** `isOn` starts `twmd watch`. A file is complete after `settleMs` without a change. */
  readonly inbox: { readonly isOn: boolean; readonly settleMs: number }
  /** True if webhook URLs may use http, any port and private addresses. */
  readonly webhookPrivateHosts: boolean
  readonly logLevel: string
}

export interface FetchSettings {
  /** Replacement URL by host, for a mirror or a test server. */
  readonly bases: ReadonlyMap<string, string>
  /**
   * Hosts that permit automatic downloads to this operator. The terms of these hosts forbid
   * automatic downloads to others.
   */
  readonly consent: ReadonlySet<string>
  /** Mail address or page of the operator. Sent to the websites that provide the files. */
  readonly contact: string | undefined
  /** PEM file with additional certificates to trust. */
  readonly ca: string | undefined
}

/**
 * Reads the configuration and the files of variables such as `ADMIN_TOKEN_FILE`.
 * @throws Error with one line per invalid variable, without values
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const read = withSecretFiles(environment)
  const set = Object.fromEntries(Object.entries(read.environment).filter(([, value]) => value !== ''))
  const parsed = Environment.safeParse(set)
  const issues = parsed.error?.issues ?? []
  const wrong = new Set([...read.mistakes.keys(), ...issues.map(({ path }) => String(path[0]))])
  const mistakes = [
    ...read.mistakes.values(),
    ...issues.filter(({ path }) => !read.mistakes.has(String(path[0]))).map(({ path, message }) => `${path.join('.')}: ${message}`),
    ...(set['NODE_ENV'] === 'production' ? productionMistakes(set, wrong) : []),
    ...([...wrong].some(name => name.startsWith('STRIPE_')) ? [] : paymentMistakes(set)),
  ]
  if (!parsed.success || mistakes.length > 0) throw new Error(mistakes.join('\n'))
  const env = parsed.data
  const production = env.NODE_ENV === 'production'
  const secrets = Object.fromEntries(SECRET_NAMES.flatMap(name => (env[name] === undefined ? [] : [[name, env[name]]])))
  const dataDir = resolve(env.DATA_DIR)
  return {
    production,
    port: env.PORT,
    host: env.HOST,
    metricsPort: env.METRICS_PORT,
    publicUrl: env.PUBLIC_URL,
    dataDir,
    releasesDir: join(dataDir, 'releases'),
    stateDb: resolve(env.STATE_DB ?? join(dataDir, 'state.sqlite')),
    secrets,
    mail: { url: env.MAIL_URL, from: env.MAIL_FROM },
    stripe: stripeConfig(env),
    trustProxy: splitList(env.TRUST_PROXY),
    corsOrigins: splitList(env.CORS_ORIGINS),
    visitors: env.VISITORS === 'off' ? null : env.VISITORS,
    maxConnections: env.MAX_CONNECTIONS,
    duckdb: { memoryLimit: env.DUCKDB_MEMORY_LIMIT, threads: env.DUCKDB_THREADS, returnsMemory: machineMemory() < TIGHT },
    cacheBytes: env.CACHE_BYTES,
    answerBytes: env.ANSWER_BYTES,
    queryTimeoutMs: env.QUERY_TIMEOUT_MS,
    sql: { isOn: env.SQL === 'on', workers: env.SQL_WORKERS, memoryMb: env.SQL_MEMORY_MB },
    scrubMbPerSecond: env.SCRUB_MB_PER_SECOND,
    publishMemoryLimit: env.PUBLISH_MEMORY_LIMIT,
    quarantine: { bytes: env.QUARANTINE_MAX_MB * 2 ** 20, days: env.QUARANTINE_MAX_DAYS },
    fetch: {
      bases: new Map(splitList(env.FETCH_BASES).map(pair => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)])),
      consent: new Set(splitList(env.FETCH_CONSENT)),
      contact: env.FETCH_CONTACT,
      ca: env.FETCH_CA,
    },
    traces: traceSettings(env),
    retentionDays: env.RETENTION,
    schedule: env.SCHEDULE === 'off' ? null : env.SCHEDULE === 'on' ? [] : splitList(env.SCHEDULE),
    inbox: { isOn: env.INBOX === 'on', settleMs: env.INBOX_SETTLE_MS },
    webhookPrivateHosts: env.WEBHOOK_PRIVATE_HOSTS === 'on',
    logLevel: env.LOG_LEVEL,
  }
}

/**
 * Returns faults that matter only in production.
 * @param wrong the variables that are already reported
 */
function productionMistakes(set: Readonly<NodeJS.ProcessEnv>, wrong: ReadonlySet<string>): readonly string[] {
  const weak = SECRET_NAMES.filter(name => !wrong.has(name) && (set[name] ?? '').split(',').some(part => part.length < 32))
  const parts = SECRET_NAMES.flatMap(name => set[name]?.split(',') ?? [])
  const isUnsent = !wrong.has('MAIL_URL') && (set['MAIL_URL'] ?? 'console:') === 'console:'
  return [
    ...(weak.length > 0 ? [`In production, these must be set to 32 characters or more: ${weak.join(', ')}`] : []),
    ...(new Set(parts).size < parts.length ? ['In production, every secret must be different'] : []),
    ...(isUnsent ? ['MAIL_URL must be a mail server in production: console: prints sign-in codes to the log'] : []),
  ]
}
