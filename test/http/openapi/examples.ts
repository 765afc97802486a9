import { expect } from 'vitest'
import { type OpenApi, responsesIn } from '../../../src/http/openapi/index.ts'
import type { TestService } from '../../support.ts'
import { callerOf, credentialsOn, documentChecker, operationsOf, requestOf, shownBy } from './openapi.ts'

/**
 * Sends the example request of every GET operation and checks the answer against the document.
 *
 * @param withOptional also sends each optional parameter with its example, one at a time
 */
export async function checkExamples(s: TestService, api: OpenApi, withOptional: boolean, check = documentChecker(api)): Promise<void> {
  const credentials = credentialsOn(s)
  const reads = operationsOf(api).filter(({ method, operation }) => method === 'GET' && operation['x-example-request'])
  expect(reads.length).toBeGreaterThan(50)
  for (const documented of reads) {
    const { operation } = documented
    const sent = shownBy(documented)
    const optional = (operation.parameters ?? []).filter(({ name, example }) => !(name in sent) && example !== undefined)
    for (const more of [{}, ...(withOptional ? optional.map(({ name, example }) => ({ [name]: example })) : [])]) {
      const { url, headers } = requestOf(documented, { ...sent, ...more })
      const response = await s.app.inject({ url, headers: { ...credentials[callerOf(documented)], ...headers } })
      const isAnswered = response.statusCode === 200
      expect.soft([response.statusCode, isAnswered ? '' : response.body], url).toEqual([200, ''])
      const declared = responsesIn(api, operation)['200']?.content?.['application/json']
      if (isAnswered && declared) expect.soft(check(declared.schema, response.json()), `${url}, body`).toEqual([])
    }
  }
}
