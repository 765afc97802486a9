import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { anchorsOf, blocksOf, commandsOf, DOCUMENTS, inlineCodeOf, linksOf, NOT_RUN, textOf } from './documents.ts'
import { tables, withTables } from './tables.ts'

const { scripts, dependencies, devDependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as Readonly<
  Record<string, Readonly<Record<string, string>>>
>
const made = await tables()

/** Languages of blocks: those that are run, and those that show something. What Python prints is checked by the tests of its package. */
const RUN = ['sh', 'python', 'ts']
const SHOWN = ['json', 'text', 'mermaid', 'pycon']

/** A path of the repository, as a sentence names it: a folder of it first, no placeholder in it. */
const isPath = (code: string): boolean =>
  !code.startsWith('bench/.data/') && /^(src|catalog|ingest|test|bench|docs|examples|\.github)(\/[\w.-]+)*\/?$/.test(code)

describe.each(DOCUMENTS)('%s', document => {
  it('has the tables that are made from the code', () => {
    expect(textOf(document), 'The tables are not those of the code: run `npm run docs`.').toBe(withTables(textOf(document), made))
  })
  it('links to files and headings that are there', () => {
    const broken = linksOf(document)
      .filter(target => !/^https?:/.test(target))
      .filter(target => {
        const [path, anchor] = target.split('#')
        const file = path ? normalize(join(dirname(document), path)) : document
        return !existsSync(file) || (anchor !== undefined && !anchorsOf(file).includes(anchor))
      })
    expect(broken).toEqual([])
  })
  it('names paths that are there', () => {
    // A decision tells of the day it was made.
    if (document.startsWith('docs/adr/0')) return
    expect(inlineCodeOf(document).filter(code => isPath(code) && !existsSync(code) && !writtenByBlocks.has(code))).toEqual([])
  })
  it('names npm scripts that are there', () => {
    const named = [...textOf(document).matchAll(/\bnpm (?:run ([\w:-]+)|(start|test)\b)/g)].map(([, run, word]) => run ?? word!)
    expect(named.filter(name => scripts![name] === undefined)).toEqual([])
  })
  it('says of every block what it is', () => {
    const unclear = blocksOf(document).filter(({ language }) => ![...RUN, ...SHOWN].includes(language))
    expect(unclear.map(({ line, language }) => `${document}:${line} ${language}`)).toEqual([])
  })
})

const writtenByBlocks = new Set(DOCUMENTS.flatMap(blocksOf).flatMap(({ file }) => file ?? []))

it('keeps the README to 120 lines', () => expect(textOf('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(120))

it('leads from the README to every document, directly or from an index', () => {
  const reached = new Set(['README.md'])
  for (const document of reached)
    for (const target of linksOf(document)) {
      const file = normalize(join(dirname(document), target.split('#')[0]!))
      if (DOCUMENTS.includes(file)) reached.add(file)
    }
  expect(DOCUMENTS.filter(document => !reached.has(document))).toEqual([])
})

it('leaves out no command without a reason, and keeps no reason for a command that is gone', () => {
  const lines = DOCUMENTS.flatMap(blocksOf).flatMap(({ language, text }) => (language === 'sh' ? text.split('\n') : []))
  expect(NOT_RUN.filter(([command]) => !lines.some(line => command.test(line))).map(([, reason]) => reason)).toEqual([])
  expect(DOCUMENTS.flatMap(blocksOf).filter(block => block.language === 'sh' && commandsOf(block) !== '').length).toBeGreaterThan(20)
})

it('lists every decision in their index, under its own title', () => {
  const decisions = globSync('docs/adr/[0-9]*.md').sort()
  const lines = decisions.map(path => {
    const [, number, title] = /^# (\d+)\. (.+)/.exec(textOf(path))!
    return `- [${number!.padStart(4, '0')}](${path.slice('docs/adr/'.length)}) ${title}`
  })
  expect(textOf('docs/adr/README.md').match(/^- \[.*$/gm)).toEqual(lines)
  expect(decisions.map(path => Number(path.slice('docs/adr/'.length).slice(0, 4)))).toEqual(decisions.map((_, index) => index + 1))
  for (const path of decisions)
    expect([...textOf(path).matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual(
      expect.arrayContaining(['Context', 'Decision', 'Consequence']),
    )
})

it('gives a reason for every dependency there is, and for no other', () => {
  const packages = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }).sort()
  const named = inlineCodeOf('docs/adr/0005-libraries.md').filter(code => /^(@[\w-]+\/)?[a-z][\w-]*(\.js)?$/.test(code))
  expect([...new Set(named)].sort()).toEqual(packages)
})

/** Variables that the configuration reads, by its own declaration. */
const variables = (): readonly string[] => {
  const [, declared = ''] = /const Environment = z\.object\(\{([\s\S]*?)\n\}\)/.exec(readFileSync('src/core/config.ts', 'utf8')) ?? []
  return [...declared.matchAll(/^ {2}([A-Z][A-Z_]+):/gm)].map(([, name]) => name!).sort()
}

describe('configuration', () => {
  it('explains every variable in the guide for operators', () => {
    const [, table = ''] = /## Configuration([\s\S]*?)\n## /.exec(textOf('docs/operating.md')) ?? []
    const named = [...table.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, names]) =>
      [...names!.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name!),
    )
    expect(named.sort()).toEqual(variables())
  })
  it('has every variable in .env.example, each with its meaning above it', () => {
    const paragraphs = readFileSync('.env.example', 'utf8').trim().split(/\n\n+/).slice(1)
    expect(paragraphs.filter(text => !/^# .+\n# [A-Z_]+=/.test(text))).toEqual([])
    expect(paragraphs.flatMap(text => [...text.matchAll(/^#? ?([A-Z][A-Z_]+)=/gm)].map(([, name]) => name!)).sort()).toEqual(variables())
  })
})
