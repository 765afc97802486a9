import { z } from 'zod'
import { count, timestamp } from '../../kernel/index.ts'

const check = (doc: string) => z.string().meta({ description: `${doc} ok, or what is wrong.` })

export const Checks = z
  .object({
    state: check('The state file answers.'),
    releases: check('Some dataset can be read.'),
    preparing: check('Nothing is being made that reads wait for, as the sample data of a demonstration is.'),
    draining: check('The process has not been asked to stop.'),
  })
  .meta({ id: 'Checks' })

const ReadyStatus = z.enum(['ready', 'not_ready']).meta({ description: 'ready when every check is ok.' })

const slugs = (doc: string) => z.array(z.string()).meta({ description: `Slugs of datasets ${doc}` })

const Readiness = {
  status: ReadyStatus,
  checks: Checks,
  degraded: slugs('whose newest release is damaged, so that an older one is served.'),
  unavailable: slugs('of which no release passes its check: their reads are refused with 503, the others are answered.'),
  warnings: z.array(z.string()).meta({
    description: 'What an operator must fix although reads are answered, such as charged answers that are not in the state file yet.',
  }),
}

export const Alive = z.object({ status: z.literal('ok') }).meta({ id: 'Alive' })
export const Ready = z.object(Readiness).meta({ id: 'Ready' })
export const Health = z
  .object({ ...Readiness, process: z.literal('ok').meta({ description: 'The process runs, since it answers.' }) })
  .meta({ id: 'Health' })

export const Metadata = z
  .object({
    name: z.string(),
    api_version: z.literal('2.0.0'),
    build: z.string().meta({ description: 'Version of the code that runs.' }),
    started_at: timestamp('When the process began to serve.'),
    datasets_count: count('Datasets on sale.'),
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
