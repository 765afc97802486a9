import { readFileSync, writeFileSync } from 'node:fs'
import { loadCatalog, PLANS, pathOf, served } from '../../catalog/index.ts'
import { loadFeeds } from '../../ingest/feeds/index.ts'

/** README tables made from the catalog and the feeds, by the name of their marker. `node test/readme/tables.ts` writes them in. */
export async function readmeTables(): Promise<Readonly<Record<string, readonly string[]>>> {
  const datasets = served(await loadCatalog()).map(dataset => {
    const params = Object.entries(dataset.filters).map(([name, { required }]) => (required ? `**${name}**` : name))
    return `| \`${pathOf(dataset)}\` ${dataset.titleZh} | ${dataset.access!.plan}, ${dataset.access!.credits} | ${params.join(', ')} |`
  })
  const feeds = [...(await loadFeeds()).values()].map(({ name, title, datasets }) => `| \`${name}\` | ${title} | ${datasets.join(', ')} |`)
  const plans = Object.values(PLANS).map(({ name, price, creditsPerMonth, rowLimit, requestsPerMinute, requestsAtOnce }) => {
    const cells = [`${price.amount / 100} ${price.currency}`, creditsPerMonth, rowLimit, requestsPerMinute, requestsAtOnce]
    return `| ${name} | ${cells.map(cell => cell.toLocaleString('en')).join(' | ')} |`
  })
  return {
    plans: [
      '| plan | price a month | credits a month | rows an answer | requests a minute | at once |',
      '|---|---|---|---|---|---|',
      ...plans,
    ],
    datasets: ['| path | plan, credits | parameters of its own |', '|---|---|---|', ...datasets],
    feeds: ['| feed | publication | becomes |', '|---|---|---|', ...feeds],
  }
}

/** The README with its tables made anew. */
export function withTables(readme: string, tables: Readonly<Record<string, readonly string[]>>): string {
  return Object.entries(tables).reduce(
    (text, [name, lines]) =>
      text.replace(
        new RegExp(`<!-- ${name} -->[\\s\\S]*?<!-- /${name} -->`),
        () => `<!-- ${name} -->\n\n${lines.join('\n')}\n\n<!-- /${name} -->`,
      ),
    readme,
  )
}

if (import.meta.main) writeFileSync('README.md', withTables(readFileSync('README.md', 'utf8'), await readmeTables()))
