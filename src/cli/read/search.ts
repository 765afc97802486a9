import type { Command } from 'commander'
import type { SearchResult } from '../../../clients/typescript/src/index.ts'
import { print, printFitted, say } from '../terminal.ts'
import { answerAt, openService, type ServiceOptions, withQuery, withService } from './connection.ts'
import { counted } from './read-bytes.ts'

interface Options extends ServiceOptions {
  readonly type?: string
  readonly limit?: string
  readonly json?: true
}

export function searchCommand(program: Command): void {
  const command = program
    .command('search')
    .description('find symbols, datasets, fields, themes, indices, brokers and branches by name or code')
    .argument('<words...>', 'a code, the start of a code, or words of a name')
    .option('--type <type>', 'symbol, dataset, field, theme, index, broker or branch')
    .option('--limit <hits>', 'maximum number of hits')
    .option('--json', 'print the response unchanged')
  withService(command).action(search)
}

async function search(words: readonly string[], { type, limit, json, ...service }: Options): Promise<void> {
  const remote = await openService(service)
  const { body: answer, credits } = await answerAt<SearchResult>(remote, withQuery('/v2/search', { q: words.join(' '), type, limit }))
  if (json) return print(JSON.stringify(answer))
  const { data, total, hint } = answer
  const heads = ['type', 'id', 'title', 'market', 'is'].map(head => ({ head, align: 'left' }) as const)
  if (data.length > 0)
    printFitted(
      heads,
      data.map(one => [one.type, one.id, one.title, one.market, one.subtitle]),
    )
  if (total > data.length) say(`${total - data.length} more; use --limit or --type.`)
  if (total === 0) say(`No results. ${hint ?? ''}`.trimEnd())
  say(`${counted(credits, 'credit')}.`)
}
