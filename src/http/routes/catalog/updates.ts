import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Gate } from '../../../access/index.ts'
import { type Publications, updatesView } from '../../../discovery/index.ts'
import { day, type Endpoint, moment, publicGet, text, whole, word } from '../../kernel/index.ts'
import { CATEGORIES, Updates } from './updates-answer.ts'

export interface UpdateParts {
  readonly gate: Gate
  readonly publications: Publications
}

const ENDPOINT = {
  summary: 'What was published, newest first',
  summaryZh: '資料更新動態',
  description:
    'One entry a publication, for downloads that follow the data: added, changed and removed each tell the days to fetch again. Per dataset, previous_release_version names the release before; go back through the feed until you meet the one you have. since alone compares days of data, so a quarter published today is older than yesterday’s trades: send published_since to follow by the time of publication, and see omitted_count.',
  group: 'catalog',
  caller: 'public',
  query: z.object({
    since: day({
      doc: 'Publications of datasets whose data reached that day or a later one. When absent, the newest day of data, or any day where published_since is sent.',
      example: '2026-06-30',
    }),
    published_since: moment({
      doc: 'Publications made at that time or later, whatever days they are of: an RFC 3339 timestamp, or a day. In Taipei where no offset is written.',
      example: '2026-06-30T18:00:00+08:00',
    }),
    category: word(CATEGORIES, { doc: 'One family of datasets.', example: 'capital_flows' }),
    limit: whole([1, 1_000], 200, { doc: 'Most entries on the page.', example: 50 }),
    cursor: text(8_192, {
      doc: 'next_cursor of the page before. It carries since, published_since and category; sent again, they must be the same.',
    }),
  }),
  answer: Updates,
  refusals: ['invalid_cursor', 'invalid_parameter'],
  example: { query: { since: '2026-06-01', limit: '50' } },
} as const satisfies Endpoint

/** The feed of publications, polled. Kept in memory; a request reads no file. */
export function updateRoutes(app: FastifyInstance, { gate, publications }: UpdateParts): void {
  publicGet(app, gate, '/v2/updates', ENDPOINT, (query, request, reply) => {
    const view = updatesView(publications.all(), query)
    if (view.next_cursor !== null) reply.header('link', nextLink(request.query as Readonly<Record<string, string>>, view.next_cursor))
    return view
  })
}

function nextLink(sent: Readonly<Record<string, string>>, cursor: string): string {
  return `</v2/updates?${new URLSearchParams({ ...sent, cursor })}>; rel="next"`
}
