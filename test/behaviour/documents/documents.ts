import { globSync, readFileSync } from 'node:fs'

/** Every document of the repository by path, README first. */
export const DOCUMENTS: readonly string[] = [
  'README.md',
  'docs/quickstart.md',
  ...globSync('docs/**/*.md')
    .filter(path => path !== 'docs/quickstart.md')
    .sort(),
  ...globSync('examples/**/*.md').sort(),
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'bench/README.md',
]

/** Commands of the documents that the tests do not run, each with its reason. */
export const NOT_RUN: readonly (readonly [command: RegExp, reason: string])[] = [
  [/^npm ci\b/, 'the gate begins with it'],
  [/^npm start\b/, 'serves until it is stopped; the demo is the same service'],
  [/^mkdir -p downloads$/, 'the tests have the files already'],
  [/^curl .*https:\/\/www\.twse\.com\.tw\//, 'sends requests to the exchange; the tests have no network'],
  [/^curl .*dividend-history/, 'reads a dataset that the demo of the tests, started before it was added, does not serve'],
  [/^npx twmd fetch\b/, 'sends requests to public sources; the tests have no network'],
  [/^npm run docs\b/, 'writes into the documents that are under test'],
  [/^npx biome\b/, 'the gate checks the format of every file'],
  [/^python3 -m venv\b/, 'installs from the registry'],
  [/^\.venv\/bin\/python examples\//, 'is run by recipes.full.test.ts, with the Python that has the libraries'],
  [/^npm run bench\b/, 'takes minutes and needs an idle machine'],
  [/^npm run soak\b/, 'takes an hour; soak.full.test.ts runs some seconds of it'],
]

/** A command that reads a key of the demo. Guides for customers show `sk_live_YOUR_KEY` instead. */
export const DEMO_KEY = /\$\(node -p "require\('\.\/data\/demo\.json'\)\.keys\.\w+"\)/g

/** A fenced block: its language, the words after it, and its text without fence and indentation. */
export interface Block {
  readonly document: string
  readonly line: number
  readonly language: string
  /** Path of the file to which the block is written, from `file=…` after the language. */
  readonly file: string | undefined
  readonly text: string
}

export const textOf = (document: string): string => readFileSync(document, 'utf8')

export function blocksOf(document: string): readonly Block[] {
  const text = textOf(document)
  return [...text.matchAll(/^( *)```([\w-]*)(.*)\n([\s\S]*?)^\1```$/gm)].map(match => {
    const [, indent = '', language = '', info = '', body = ''] = match
    return {
      document,
      line: text.slice(0, match.index).split('\n').length,
      language,
      file: /\bfile=(\S+)/.exec(info)?.[1],
      text: body
        .split('\n')
        .map(line => (line.startsWith(indent) ? line.slice(indent.length) : line))
        .join('\n')
        .trim(),
    }
  })
}

/** Text of the only block of a document that starts with `beginning`. */
export function blockOf(document: string, beginning: string): string {
  const [block, ...others] = blocksOf(document).filter(({ text }) => text.startsWith(beginning))
  if (!block || others.length > 0) throw new Error(`${document} has ${others.length + (block ? 1 : 0)} blocks that begin with ${beginning}`)
  return block.text
}

/** Text outside fenced blocks. */
export const proseOf = (document: string): string => textOf(document).replace(/^( *)```[\s\S]*?^\1```$/gm, '')

/** Inline code of sentences and table cells. */
export const inlineCodeOf = (document: string): readonly string[] =>
  [...proseOf(document).matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!)

/** Link targets, unresolved. */
export const linksOf = (document: string): readonly string[] =>
  [...proseOf(document).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!)

/** Anchors of a document's headings, in GitHub's format. */
export const anchorsOf = (document: string): readonly string[] =>
  [...proseOf(document).matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  )

/** Commands of a shell block that the tests run. Empty if NOT_RUN matches every line. */
export const commandsOf = ({ text }: Block): string =>
  text
    .split('\n')
    .filter(line => !NOT_RUN.some(([command]) => command.test(line)))
    .join('\n')
    .trim()
