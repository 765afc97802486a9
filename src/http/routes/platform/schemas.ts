import { z } from 'zod'
import { count, timestamp } from '../../kernel/index.ts'

const check = (doc: string) => z.string().meta({ description: `Result of the check: \`ok\` if ${doc}, otherwise the fault.` })

export const Checks = z
  .object({
    state: check('the state file can be used'),
    releases: check('at least one dataset can be read'),
    preparing: check('the service is prepared, for example the sample data of a demonstration'),
    draining: check('the process is not shutting down'),
  })
  .meta({ id: 'Checks' })

const ReadyStatus = z.enum(['ready', 'not_ready']).meta({ description: '`ready` if all checks are `ok`, otherwise `not_ready`.' })

const slugs = (doc: string) => z.array(z.string()).meta({ description: `Slugs of datasets ${doc}` })

const Readiness = {
  status: ReadyStatus,
  checks: Checks,
  degraded: slugs('whose newest release is damaged and for which an older release is served.'),
  unavailable: slugs(
    'without a release that passes its integrity check. Reads of these datasets return 503. Other reads are not affected.',
  ),
  warnings: z.array(z.string()).meta({
    description: 'Problems for the operator that do not stop reads, for example charged reads that are not in the state file yet.',
  }),
}

export const Alive = z.object({ status: z.literal('ok') }).meta({ id: 'Alive' })
export const Ready = z.object(Readiness).meta({ id: 'Ready' })
export const Health = z
  .object({ ...Readiness, process: z.literal('ok').meta({ description: 'Always ok: the process runs.' }) })
  .meta({ id: 'Health' })

export const Metadata = z
  .object({
    name: z.string(),
    api_version: z.literal('2.0.0'),
    build: z.string().meta({ description: 'Version of the service.' }),
    started_at: timestamp('Start time of the service.'),
    datasets_count: count('Number of datasets in the catalog.'),
    docs_url: z.url(),
    openapi_url: z.url(),
    llms_url: z.url(),
  })
  .meta({ id: 'Metadata' })

const named = z.record(z.string(), z.unknown())
export const OpenApiDocument = z.object({
  openapi: z.literal('3.1.0'),
  info: named,
  servers: z.array(named),
  tags: z.array(named),
  paths: z.record(z.string(), named),
  components: named,
})
