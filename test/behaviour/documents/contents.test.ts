import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, it } from 'vitest'
import * as formats from '../../../ingest/formats/index.ts'
import { anchorsOf, blocksOf, commandsOf, DOCUMENTS, inlineCodeOf, linksOf, NOT_RUN, textOf } from './documents.ts'
import { tables, withTables } from './tables.ts'

const { scripts, dependencies, devDependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as Readonly<
  Record<string, Readonly<Record<string, string>>>
>
const made = await tables()

/**
 * Languages of blocks that run. `SHOWN` lists languages of blocks that only show something. The
 * tests of the Python package check `pycon`.
 */
const RUN = ['sh', 'python', 'ts']
const SHOWN = ['json', 'text', 'mermaid', 'pycon']

/** True if a text is a path of the repository: it starts with a folder and has no placeholder. */
const isPath = (code: string): boolean =>
  !code.startsWith('bench/.data/') && /^(src|catalog|ingest|test|bench|docs|examples|\.github)(\/[\w.-]+)*\/?$/.test(code)

const writtenByBlocks = new Set(DOCUMENTS.flatMap(blocksOf).flatMap(({ file }) => file ?? []))

it.each(DOCUMENTS)('%s has current tables, and only links, paths, scripts and block languages that exist', document => {
  const check = (what: string) => `${document}: ${what}`
  expect
    .soft(textOf(document) === withTables(textOf(document), made), check('tables equal those of the code; run `npm run docs`'))
    .toBe(true)
  const broken = linksOf(document)
    .filter(target => !/^https?:/.test(target))
    .filter(target => {
      const [path, anchor] = target.split('#')
      const file = path ? normalize(join(dirname(document), path)) : document
      return !existsSync(file) || (anchor !== undefined && !anchorsOf(file).includes(anchor))
    })
  expect.soft(broken, check('links without a file or heading')).toEqual([])
  // Decision records describe the day of the decision, so their paths may be outdated.
  if (!document.startsWith('docs/adr/0')) {
    const missing = inlineCodeOf(document).filter(code => isPath(code) && !existsSync(code) && !writtenByBlocks.has(code))
    expect.soft(missing, check('paths that do not exist')).toEqual([])
  }
  const named = [...textOf(document).matchAll(/\bnpm (?:run ([\w:-]+)|(start|test)\b)/g)].map(([, run, word]) => run ?? word!)
  expect
    .soft(
      named.filter(name => scripts![name] === undefined),
      check('npm scripts that do not exist'),
    )
    .toEqual([])
  const unclear = blocksOf(document).filter(({ language }) => ![...RUN, ...SHOWN].includes(language))
  expect
    .soft(
      unclear.map(({ line, language }) => `line ${line}: ${language}`),
      check('blocks of an unknown language'),
    )
    .toEqual([])
})

it('the README has at most 120 lines', () => expect(textOf('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(120))

it('the README leads to every document, directly or through an index', () => {
  const reached = new Set(['README.md'])
  for (const document of reached)
    for (const target of linksOf(document)) {
      const file = normalize(join(dirname(document), target.split('#')[0]!))
      if (DOCUMENTS.includes(file)) reached.add(file)
    }
  expect(DOCUMENTS.filter(document => !reached.has(document))).toEqual([])
})

it('every reason in NOT_RUN matches a command of the documents', () => {
  const lines = DOCUMENTS.flatMap(blocksOf).flatMap(({ language, text }) => (language === 'sh' ? text.split('\n') : []))
  expect(NOT_RUN.filter(([command]) => !lines.some(line => command.test(line))).map(([, reason]) => reason)).toEqual([])
  expect(DOCUMENTS.flatMap(blocksOf).filter(block => block.language === 'sh' && commandsOf(block) !== '').length).toBeGreaterThan(20)
})

it('every code sample that reads a dataset sends a limit, and its document states the default', () => {
  const read = /\/v(?:2\/datasets\/[a-z-]+|1\/earnings|1\/segments\/all|1\/financial-reports\/company-earnings)\?[^"'\s]*/g
  for (const document of DOCUMENTS.filter(path => path !== 'docs/reading.md')) {
    const reads = blocksOf(document).flatMap(({ language, text }) => (RUN.includes(language) ? (text.match(read) ?? []) : []))
    expect
      .soft(
        reads.filter(url => !url.includes('limit=')),
        document,
      )
      .toEqual([])
    if (reads.length > 0) expect.soft(textOf(document), document).toMatch(/50 rows/)
  }
})

it('the guides to a new dataset and a new feed name every step that npm test requires afterwards', () => {
  for (const document of ['docs/add-a-dataset.md', 'docs/add-a-feed.md'])
    for (const step of ['npx biome check --write', 'npm run docs', 'npm run contract'])
      expect.soft(textOf(document), document).toContain(step)
  for (const reader of ['readDayTable', 'readOpenTable']) expect.soft(textOf('docs/add-a-feed.md')).toContain(reader)
})

it('every guide and example reads the address and the key from TWMD_URL and TWMD_API_KEY', () => {
  const NAMED = /\bTWMD_(?:\w*KEY|\w*URL|\w*TOKEN)\b/g
  const FORMER = ['CHANGELOG.md', 'examples/README.md']
  const files = [
    ...DOCUMENTS,
    ...globSync(['examples/**/*.*', 'clients/*/README.md', 'clients/python/src/**/*.py', 'clients/typescript/src/*.ts']),
  ]
  for (const file of files.filter(path => !FORMER.includes(path)))
    expect
      .soft(
        [...new Set(textOf(file).match(NAMED))].filter(name => !['TWMD_URL', 'TWMD_API_KEY'].includes(name)),
        file,
      )
      .toEqual([])
})

it('the guide to formats names the settings of LibreOffice that keep codes and Chinese text', () => {
  const [line = ''] = /^- \*\*LibreOffice Calc\*\*.*$/m.exec(textOf('docs/formats.md')) ?? []
  for (const setting of ['Unicode (UTF-8)', '*Column type* to *Text*']) expect.soft(line).toContain(setting)
})

it('no guide names Maven coordinates of the Spark connector for Delta Sharing, because no test installs it', () => {
  for (const document of DOCUMENTS) expect.soft(textOf(document), document).not.toMatch(/delta-sharing-spark/)
})

it('the open-table guide installs the versions that the reader tests use', () => {
  const pins = [...textOf('docs/tables.md').matchAll(/([a-z-]+)(?:\[\w+\])?==([\d.]+\d)/g)].map(
    ([, name, version]) => `${name}==${version}`,
  )
  const used = `${textOf('test/delta/readers/requirements.txt')}\n${textOf('test/delta/spark/requirements.txt')}`
  const ofTests = pins.filter(pin => used.includes(`${pin.split('==')[0]}==`))
  expect(ofTests.length).toBeGreaterThanOrEqual(6)
  for (const pin of ofTests) expect.soft(used.split('\n'), pin).toContain(pin)
})

it('the index of decisions lists every decision with its title', () => {
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

it('docs/modules.md gives a reason for every dependency and lists no other package', () => {
  const packages = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }).sort()
  const [, section = ''] = /^## Libraries$([\s\S]*)/m.exec(textOf('docs/modules.md')) ?? []
  const reasons = section.split('### At run time')[1] ?? ''
  const named = [...reasons.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!).filter(code => /^(@[\w-]+\/)?[a-z][\w-]*(\.js)?$/.test(code))
  expect([...new Set(named)].sort()).toEqual(packages)
})

/** Environment variables that the configuration declares. */
const variables = (): readonly string[] => {
  const [, declared = ''] = /const Environment = z\.object\(\{([\s\S]*?)\n\}\)/.exec(readFileSync('src/core/config.ts', 'utf8')) ?? []
  return [...declared.matchAll(/^ {2}([A-Z][A-Z_]+):/gm)].map(([, name]) => name!).sort()
}

it('docs/operating.md explains every configuration variable', () => {
  const [, table = ''] = /## Configuration([\s\S]*?)\n## /.exec(textOf('docs/operating.md')) ?? []
  const named = [...table.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, names]) =>
    [...names!.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name!),
  )
  expect(named.sort()).toEqual(variables())
})
it('.env.example has every configuration variable with its meaning', () => {
  const paragraphs = readFileSync('.env.example', 'utf8').trim().split(/\n\n+/).slice(1)
  expect(paragraphs.filter(text => !/^# .+\n# [A-Z_]+=/.test(text))).toEqual([])
  expect(paragraphs.flatMap(text => [...text.matchAll(/^#? ?([A-Z][A-Z_]+)=/gm)].map(([, name]) => name!)).sort()).toEqual(variables())
})

it('docs/add-a-feed.md names every function that is shared by feeds', () => {
  const guide = textOf('docs/add-a-feed.md')
  expect(Object.keys(formats).filter(name => !guide.includes(`\`${name}\``))).toEqual([])
})
