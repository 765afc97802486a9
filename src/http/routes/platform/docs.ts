import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Catalog } from '../../../../catalog/index.ts'
import type { Gate } from '../../../access/index.ts'
import { type Endpoint, publicGet } from '../../kernel/index.ts'
import { llmsIndex, llmsWhole, type OpenApi, openApi, type Route } from '../../openapi/index.ts'
import { guardPage } from './pages/layout.ts'
import { referencePage } from './pages/reference.ts'

export interface DocsParts {
  readonly catalog: Catalog
  readonly gate: Gate
  /** Where the service is reached, for links that are followed from elsewhere. */
  readonly origin: () => string
}

const named = z.record(z.string(), z.unknown())
const OpenApiDocument = z.object({
  openapi: z.literal('3.1.0'),
  info: named,
  servers: z.array(named),
  tags: z.array(named),
  paths: z.record(z.string(), named),
  components: named,
})

const document = (summary: string, summaryZh: string, answer: Endpoint['answer'], description?: string): Endpoint => ({
  summary,
  summaryZh,
  ...(description === undefined ? {} : { description }),
  group: 'service',
  caller: 'public',
  answer,
  example: {},
})

/** What the service says of itself: one description, made from what the routes declare, in the forms programs, agents and people read. */
export function docsRoutes(app: FastifyInstance, { catalog, gate, origin }: DocsParts, routes: readonly Route[]): void {
  // Made at the first look, when every route has been declared.
  const api = once(() => openApi(routes))
  const serve = (path: string, type: `${string}/${string}`, endpoint: Endpoint, make: (api: OpenApi) => string | Buffer) => {
    const body = once(() => Buffer.from(make(api())))
    publicGet(app, gate, path, endpoint, (_, __, reply) => {
      if (type.startsWith('text/html')) guardPage(reply)
      reply.type(`${type}; charset=utf-8`)
      return body()
    })
  }
  serve('/openapi.json', 'application/json', document('OpenAPI description', 'OpenAPI 描述', OpenApiDocument), JSON.stringify)
  serve('/llms.txt', 'text/plain', document('Index for agents', '給代理程式的索引', 'text/plain', 'In the form of llmstxt.org.'), made =>
    llmsIndex(made, origin()),
  )
  serve('/llms-full.txt', 'text/plain', document('Everything for agents', '給代理程式的全文', 'text/plain'), made =>
    llmsWhole(made, catalog, origin()),
  )
  serve('/docs', 'text/html', document('Reference page', '參考文件', 'text/html', 'With a form to try each operation.'), referencePage)
  serve('/docs/style.css', 'text/css', document('Style of the pages', '頁面樣式', 'text/css'), () => asset('style.css'))
  serve('/docs/try.js', 'text/javascript', document('Script of the reference page', '參考文件的程式', 'text/javascript'), () =>
    stripTypeScriptTypes(asset('try.ts')),
  )
}

const asset = (name: string): string => readFileSync(new URL(`../../../portal/${name}`, import.meta.url), 'utf8')

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
