import { z } from 'zod'
import type { Words } from '../../core/index.ts'
import { DEFAULT_LIMIT } from '../../read/index.ts'
import type { Language } from '../portal/shell.ts'
import type { Entry } from './operations.ts'
import { type SampleRequest, sampleRequest, urlOf } from './request.ts'

export interface Sample {
  readonly language: 'curl' | 'python' | 'r' | 'typescript' | 'sql' | 'excel'
  readonly name: string
  readonly code: string
}

/**
 * Returns samples in several languages. Empty for operations that users do not call.
 *
 * @param origin origin of the service, for example `https://data.example`
 */
export function samplesOf(entry: Entry, origin: string, language: Language): readonly Sample[] {
  const { caller, answer } = entry.endpoint
  if (caller === 'payment_provider' || answer instanceof z.ZodNever) return []
  const request = sampleRequest(entry, origin)
  const samples: readonly Sample[] = [
    { language: 'curl', name: 'curl', code: curl(request) },
    { language: 'python', name: 'Python', code: python(request) },
    { language: 'r', name: 'R', code: r(request) },
    { language: 'typescript', name: 'TypeScript', code: typescript(request) },
    ...(request.method === 'GET' ? [{ language: 'sql', name: 'DuckDB SQL', code: sql(request) } as const] : []),
    ...(request.answer === 'rows' ? [{ language: 'excel', name: 'Excel (Power Query)', code: excel(request) } as const] : []),
  ]
  const hasLimit = request.answer === 'rows' && request.query.some(([name]) => name === 'limit')
  return hasLimit
    ? samples.map(sample => ({ ...sample, code: `${COMMENT[sample.language]} ${LIMIT_NOTE[language]}\n${sample.code}` }))
    : samples
}

const LIMIT_NOTE: Words = {
  en: `Without limit a read returns ${DEFAULT_LIMIT} rows.`,
  zh: `未指定 limit 時，每次讀取傳回 ${DEFAULT_LIMIT} 列。`,
}
const COMMENT: Readonly<Record<Sample['language'], string>> = { curl: '#', python: '#', r: '#', typescript: '//', sql: '--', excel: '//' }

const lines = (...given: readonly (string | false | null)[]): string => given.filter(line => typeof line === 'string').join('\n')

const headersOf = ({ headers, body }: SampleRequest): readonly (readonly [string, string])[] => [
  ...Object.entries(headers),
  ...(body === undefined ? [] : [['Content-Type', 'application/json'] as const]),
]

/**
 * Returns a text in single quotes, which is valid in a shell, in Python and in R. Null if the JSON
 * needs escapes.
 */
const singleQuoted = (body: unknown): string | null => {
  const json = JSON.stringify(body)
  return /['\\]/.test(json) ? null : `'${json}'`
}

function curl(request: SampleRequest): string {
  const { method, credential, body, answer } = request
  const asShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
  const parts = [
    method === 'GET' || (method === 'POST' && body !== undefined) ? 'curl -s' : `curl -s -X ${method}`,
    credential && `-H "${credential.header}: ${credential.before}$${credential.variable}"`,
    ...headersOf(request).map(([name, value]) => `-H ${asShell(`${name}: ${value}`)}`),
    body !== undefined && `-d ${asShell(JSON.stringify(body))}`,
    answer === 'file' && '-O',
    `"${urlOf(request)}"`,
  ].filter(part => typeof part === 'string')
  return parts.join(' \\\n  ')
}

function python(request: SampleRequest): string {
  const { method, credential, body, answer } = request
  const url = urlOf(request, answer === 'rows' ? [['format', 'parquet']] : [])
  const said = [
    ...(credential
      ? [`"${credential.header}": ${credential.before ? `"${credential.before}" + ` : ''}os.environ["${credential.variable}"]`]
      : []),
    ...headersOf(request).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
  ]
  const modules = [...(answer === 'rows' ? ['io'] : answer === 'json' ? ['json'] : []), ...(credential ? ['os'] : [])]
  return lines(
    ...modules.map(name => `import ${name}`),
    'from urllib.request import Request, urlopen',
    answer === 'rows' && '\nimport pandas as pd  # with pyarrow',
    '',
    'request = Request(',
    `    ${JSON.stringify(url)},`,
    said.length > 0 && `    headers={${said.join(', ')}},`,
    body !== undefined && `    data=${singleQuoted(body) ?? JSON.stringify(JSON.stringify(body))}.encode(),`,
    method !== 'GET' && `    method="${method}",`,
    ')',
    'with urlopen(request) as answer:',
    `    ${READ_IN_PYTHON[answer]}`,
  )
}

const READ_IN_PYTHON: Readonly<Record<SampleRequest['answer'], string>> = {
  rows: 'print(pd.read_parquet(io.BytesIO(answer.read())))',
  json: 'print(json.dumps(json.load(answer), ensure_ascii=False, indent=2))',
  text: 'print(answer.read().decode())',
  file: 'open("answer.parquet", "wb").write(answer.read())',
}

function r(request: SampleRequest): string {
  const { method, credential, body, answer } = request
  const url = urlOf(request, answer === 'rows' ? [['format', 'parquet']] : [])
  const secret = credential && `Sys.getenv("${credential.variable}")`
  const said = [
    ...(credential ? [`"${credential.header}" = ${credential.before ? `paste0("${credential.before}", ${secret})` : secret}`] : []),
    ...Object.entries(request.headers).map(([name, value]) => `${JSON.stringify(name)} = ${JSON.stringify(value)}`),
  ]
  const steps = [
    `answer <- request(${JSON.stringify(url)})`,
    method !== 'GET' && `  req_method("${method}")`,
    said.length > 0 && `  req_headers(${said.join(', ')})`,
    body !== undefined && `  req_body_raw(${singleQuoted(body) ?? JSON.stringify(JSON.stringify(body))}, type = "application/json")`,
    '  req_perform()',
  ].filter(step => step !== false)
  return lines('library(httr2)', '', steps.join(' |>\n'), READ_IN_R[answer])
}

const READ_IN_R: Readonly<Record<SampleRequest['answer'], string>> = {
  rows: 'print(arrow::read_parquet(resp_body_raw(answer)))',
  json: 'str(resp_body_json(answer))',
  text: 'cat(resp_body_string(answer))',
  file: 'writeBin(resp_body_raw(answer), "answer.parquet")',
}

function typescript(request: SampleRequest): string {
  const { method, credential, body, answer } = request
  const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  const secret = credential && `process.env['${credential.variable}']!`
  const said = [
    ...(credential ? [`${quoted(credential.header)}: ${credential.before ? `\`${credential.before}\${${secret}}\`` : secret}`] : []),
    ...headersOf(request).map(([name, value]) => `${quoted(name)}: ${quoted(value)}`),
  ]
  const options = [
    method !== 'GET' && `  method: ${quoted(method)},`,
    said.length > 0 && `  headers: { ${said.join(', ')} },`,
    body !== undefined && `  body: JSON.stringify(${JSON.stringify(body)}),`,
  ].filter(option => option !== false)
  return lines(
    answer === 'file' && "import { writeFile } from 'node:fs/promises'\n",
    options.length === 0
      ? `const answer = await fetch(${quoted(urlOf(request))})`
      : `const answer = await fetch(${quoted(urlOf(request))}, {`,
    ...options,
    options.length > 0 && '})',
    'if (!answer.ok) throw new Error((await answer.json()).error.error_message)',
    READ_IN_TYPESCRIPT[answer],
  )
}

const READ_IN_TYPESCRIPT: Readonly<Record<SampleRequest['answer'], string>> = {
  rows: 'console.log(await answer.json())',
  json: 'console.log(await answer.json())',
  text: 'console.log(await answer.text())',
  file: "await writeFile('answer.parquet', await answer.bytes())",
}

/** Uses `getenv`, which exists only in the command line of DuckDB. */
function sql(request: SampleRequest): string {
  const { credential, origin, answer } = request
  const text = (value: string): string => `'${value.replaceAll("'", "''")}'`
  const secret = credential && `${credential.before ? `${text(credential.before)} || ` : ''}getenv(${text(credential.variable)})`
  const url = urlOf(request, answer === 'rows' ? [['format', 'parquet']] : [])
  return lines(
    credential && `-- For DuckDB's command line; in other clients, replace getenv('${credential.variable}') with the secret.`,
    'INSTALL httpfs;',
    'LOAD httpfs;',
    credential &&
      `CREATE OR REPLACE SECRET twmd (\n  TYPE http,\n  SCOPE ${text(origin)},\n  EXTRA_HTTP_HEADERS MAP {${text(credential.header)}: ${secret}}\n);`,
    'SET force_download = true;',
    `FROM ${READ_IN_SQL[answer]}(${text(url)});`,
  )
}

const READ_IN_SQL: Readonly<Record<SampleRequest['answer'], string>> = {
  rows: 'read_parquet',
  json: 'read_json',
  text: 'read_text',
  file: 'read_parquet',
}

/** In Power Query M, quotes are doubled and #( starts a character code. */
function excel({ origin, path, query, credential }: SampleRequest): string {
  const text = (value: string): string => `"${value.replaceAll('"', '""').replaceAll('#(', '#(#)(')}"`
  const sent = [...query, ['format', 'csv'] as const].map(([name, value]) => `#${text(name)} = ${text(value)}`)
  return lines(
    `// Name a cell ${credential!.variable} and write the secret into it. If Excel asks how to sign in, choose Anonymous: a header contains the secret.`,
    'let',
    `    Key = Text.From(Excel.CurrentWorkbook(){[Name = "${credential!.variable}"]}[Content]{0}[Column1]),`,
    `    Answer = Web.Contents(${text(origin)}, [`,
    `        RelativePath = ${text(path.slice(1))},`,
    `        Query = [${sent.join(', ')}],`,
    `        Headers = [#${text(credential!.header)} = ${credential!.before ? `${text(credential!.before)} & ` : ''}Key]`,
    '    ]),',
    '    Rows = Csv.Document(Answer, [Delimiter = ",", Encoding = 65001, QuoteStyle = QuoteStyle.Csv]),',
    '    Named = Table.PromoteHeaders(Rows, [PromoteAllScalars = true])',
    'in',
    '    Named',
  )
}
