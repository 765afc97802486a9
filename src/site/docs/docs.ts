import type { Catalog } from '../../../catalog/index.ts'
import type { DescribedRoute, Documented, OpenApi } from '../../http/openapi/index.ts'
import { guidePages } from './guide-pages.ts'
import { groupPage, refusalsPage, startPage } from './list-pages.ts'
import { operationPage } from './operation-page.ts'
import { groupsOf } from './operations.ts'
import type { DocsPage, Shelf } from './page.ts'
import { referenceText } from './reference-zh.ts'

export interface Docs {
  readonly pages: ReadonlyMap<string, DocsPage>
  readonly guides: readonly Pick<DocsPage, 'address' | 'title' | 'says'>[]
  readonly shelvesBeside: (page: DocsPage) => readonly Shelf[]
  readonly around: (page: DocsPage) => { readonly previous: DocsPage | undefined; readonly next: DocsPage | undefined }
}

export function createDocs(catalog: Catalog, described: readonly DescribedRoute[], api: OpenApi, origin: () => string): Docs {
  const groups = groupsOf(described, api)
  const { pages: guides, shelves } = guidePages(operationFinder(groups.flatMap(({ entries }) => entries)), origin)
  const text = referenceText(catalog)
  const refusals = refusalsPage(groups, api)
  const listed = [...shelves, { title: REFERENCE, readers: 'customers' as const, pages: [refusals, ...groups] }]
  const reference = groups.flatMap(group => [
    groupPage(group),
    ...group.entries.map(entry =>
      operationPage(entry, group, { api, origin, text, dataset: catalog.get(entry.endpoint.priced?.slug ?? '') }),
    ),
  ])
  const others = [...guides, refusals, ...reference]
  const byAddress = new Map(others.map(page => [page.address, page]))
  const start = startPage(shelves, groups, address => byAddress.get(address)!, origin)
  const ordered = [start, ...others]
  const places = new Map(ordered.map(({ address }, at) => [address, at]))
  return {
    pages: new Map(ordered.map(page => [page.address, page])),
    guides: shelves.flatMap(({ pages }) => pages.map(({ address }) => byAddress.get(address)!)),
    shelvesBeside: page => {
      const top = page.above[0] ?? page
      const beside = groups.find(({ address }) => address === top.address)
      return beside
        ? [
            ...listed,
            {
              title: beside.title,
              readers: 'customers' as const,
              pages: beside.entries.map(({ address, summary }) => ({ address, title: summary })),
            },
          ]
        : listed
    },
    around: ({ address }) => {
      const at = places.get(address)!
      return { previous: ordered[at - 1], next: ordered[at + 1] }
    },
  }
}

const REFERENCE = { en: 'Reference', zh: 'API 參考' } as const

/** Finds the page of an operation such as `GET /v2/query` or `/v2/datasets/earnings`. */
function operationFinder(entries: readonly (Documented & { readonly address: string })[]): (text: string) => string | null {
  const known = entries.map(({ method, path, address }) => {
    const pattern = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '(?:\\{\\w+\\}|[\\w-]+)')
    return { method, pattern: new RegExp(`^${pattern}$`), address }
  })
  return text => {
    const [, method = 'GET', path] = /^(?:(GET|POST|DELETE) )?(\/[a-z][\w/{}.-]*)$/.exec(text) ?? []
    return path === undefined ? null : (known.find(one => one.method === method && one.pattern.test(path))?.address ?? null)
  }
}
