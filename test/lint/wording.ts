import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { COMMENT_COLUMNS, PATTERNS, SENTENCE_WORDS } from './patterns.ts'
import { type Kind, type Text, textsOfCode, textsOfMarkdown } from './texts.ts'

/**
 * Checks the wording of comments, texts for people, test titles and documents.
 *
 * `npm run wording` lists every finding. `npm run check` compares their number by module and kind with
 * `test/lint/wording.json` and fails if one grew; `npm run wording -- --accept` writes the present numbers.
 */
const BASELINE = new URL('wording.json', import.meta.url)
const CODE = globSync('{catalog,src,ingest,portal,clients/typescript/src,bench,test}/**/*.{ts,tsx}', {
  exclude: name => /(^|\/)(dist|node_modules|\.data)$/.test(name),
}).filter(name => !name.startsWith('test/lint/') && !name.endsWith('.d.ts'))
const DOCUMENTS = globSync(['*.md', 'docs/**/*.md', 'examples/**/*.md', 'test/**/*.md', 'bench/README.md', 'clients/*/README.md'])

interface Finding {
  readonly file: string
  readonly line: number
  readonly kind: Kind | 'width' | 'sentence'
  readonly what: string
}

const ALLOWED = /wording: allow/

function findingsOf(file: string): readonly Finding[] {
  const source = readFileSync(file, 'utf8')
  const lines = source.split('\n')
  const texts = file.endsWith('.md') ? textsOfMarkdown(source) : textsOfCode(source, file)
  const isAllowed = (line: number): boolean => ALLOWED.test(lines[line - 1] ?? '') || ALLOWED.test(lines[line - 2] ?? '')
  return texts
    .flatMap(text => [...phrasesIn(text), ...tooWide(text), ...tooLong(text)].map(finding => ({ file, ...finding })))
    .filter(({ line }) => !isAllowed(line))
}

const phrasesIn = ({ kind, line, text }: Text): readonly Omit<Finding, 'file'>[] =>
  text.split('\n').flatMap((part, index) =>
    PATTERNS.flatMap(({ pattern, instead }) => {
      const [phrase] = pattern.exec(part) ?? []
      return phrase === undefined ? [] : [{ kind, line: line + index, what: `"${phrase}": write ${instead}` }]
    }),
  )

const tooWide = ({ kind, line, text }: Text): readonly Omit<Finding, 'file'>[] =>
  kind !== 'comment'
    ? []
    : text.split('\n').flatMap((part, index) => {
        const columns = part.length
        return columns > COMMENT_COLUMNS && !/https?:\/\//.test(part)
          ? [{ kind: 'width' as const, line: line + index, what: `${columns} columns: wrap comments at ${COMMENT_COLUMNS}` }]
          : []
      })

const tooLong = ({ kind, line, text }: Text): readonly Omit<Finding, 'file'>[] =>
  kind !== 'markdown' || text.startsWith('|')
    ? []
    : text
        .split(/(?<=[.:;?!])\s/)
        .map(sentence => sentence.split(/\s+/).length)
        .filter(words => words > SENTENCE_WORDS)
        .map(words => ({ kind: 'sentence', line, what: `a sentence of ${words} words: split it` }))

/**
 * Module of a file: `src/read`, `ingest/feeds`, `docs`, `test/http`. For a file at the top level,
 * the file itself.
 */
const moduleOf = (file: string): string => {
  const parts = file.split('/')
  return parts.slice(0, Math.min(/^(src|ingest|test|catalog)$/.test(parts[0]!) ? 2 : 1, Math.max(parts.length - 1, 1))).join('/')
}

type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>

/**
 * Number of findings by module and kind, sorted. Long sentences are not counted, because they are
 * only warnings.
 */
function countsOf(findings: readonly Finding[]): Counts {
  const counts: Record<string, Record<string, number>> = {}
  for (const { file, kind } of findings) {
    if (kind === 'sentence') continue
    const kinds = counts[moduleOf(file)] ?? {}
    counts[moduleOf(file)] = { ...kinds, [kind]: (kinds[kind] ?? 0) + 1 }
  }
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)))
}

const findings = [...CODE, ...DOCUMENTS].flatMap(findingsOf)
const counts = countsOf(findings)
const [command] = process.argv.slice(2)
if (command === '--accept') writeFileSync(BASELINE, `${JSON.stringify(counts, null, 2)}\n`)
else if (command === '--compare') {
  const accepted = JSON.parse(readFileSync(BASELINE, 'utf8')) as Counts
  const grown = Object.entries(counts).flatMap(([module, kinds]) =>
    Object.entries(kinds)
      .filter(([kind, count]) => count > (accepted[module]?.[kind] ?? 0))
      .map(([kind]) => ({ module, kind })),
  )
  for (const { module, kind } of grown) {
    console.error(`${module}: ${counts[module]![kind]} findings in ${kind}, ${accepted[module]?.[kind] ?? 0} accepted`)
    for (const finding of findings)
      if (moduleOf(finding.file) === module && finding.kind === kind) console.error(`  ${finding.file}:${finding.line} ${finding.what}`)
  }
  if (grown.length > 0) process.exitCode = 1
} else {
  const [wanted = ''] = process.argv.slice(2)
  for (const { file, line, kind, what } of findings) if (file.startsWith(wanted)) console.log(`${file}:${line} ${kind}: ${what}`)
}
