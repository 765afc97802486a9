import type { SchemaColumn } from '../../clients/typescript/src/index.ts'
import { type Query, urlOf } from '../api/client.ts'
import { say } from './language.ts'

export interface SampledRead {
  /** Origin of the service, for example `https://data.example`. */
  readonly origin: string
  readonly path: string
  /** Query without `format`, because each language needs another format. */
  readonly query: Query
  readonly columns: readonly { readonly name: string; readonly type: SchemaColumn['type'] }[]
}

export type SampleId = 'curl' | 'pandas' | 'polars' | 'r' | 'typescript' | 'excel' | 'duckdb'

/** A code sample. The code takes the key from `TWMD_API_KEY`. */
export interface Sample {
  readonly id: SampleId
  readonly label: string
  readonly code: string
}

/**
 * Returns samples in all languages. A sample never contains a key. The key comes from the
 * environment, or from a cell in Excel.
 */
export const codeSamples = (read: SampledRead): readonly Sample[] => {
  const samples = inEveryLanguage(read)
  if (read.path.endsWith('/cross-section')) return samples
  const note = say({ en: 'Without limit a read returns 50 rows.', zh: '未指定 limit 時，每次讀取傳回 50 列。' })
  return samples.map(sample => ({ ...sample, code: `${COMMENT[sample.id] ?? '#'} ${note}\n${sample.code}` }))
}

/** Start of a comment. Other languages use `#`. */
const COMMENT: Readonly<Partial<Record<SampleId, string>>> = { typescript: '//', excel: '//', duckdb: '--' }

const inEveryLanguage = (read: SampledRead): readonly Sample[] => [
  { id: 'curl', label: 'curl', code: curl(read) },
  { id: 'pandas', label: 'Python (pandas)', code: pandas(read) },
  { id: 'polars', label: 'Python (polars)', code: polars(read) },
  { id: 'r', label: 'R', code: r(read) },
  { id: 'typescript', label: 'TypeScript', code: typescript(read) },
  { id: 'excel', label: 'Excel', code: excel(read) },
  { id: 'duckdb', label: 'DuckDB', code: duckdb(read) },
]

/** Returns the complete URL. Commas are not escaped, so that lists are readable. */
function addressOf({ origin, path, query }: SampledRead, format?: string): string {
  return `${origin}${urlOf({ path, query: { ...query, format } }).replaceAll('%2C', ',')}`
}

const curl = (read: SampledRead): string => `curl --fail-with-body --compressed -H "X-API-Key: $TWMD_API_KEY" \\
  "${addressOf(read)}"
`

const pandas = (read: SampledRead): string => `# pip install pandas pyarrow
import os
from urllib.request import Request, urlopen

import pyarrow as pa

url = "${addressOf(read, 'arrow')}"
request = Request(url, headers={"X-API-Key": os.environ["TWMD_API_KEY"]})
with urlopen(request) as answer, pa.ipc.open_stream(answer) as stream:
    rows = stream.read_pandas(date_as_object=False)
print(rows)
`

const polars = (read: SampledRead): string => `# pip install polars
import os
from urllib.request import Request, urlopen

import polars as pl

url = "${addressOf(read, 'arrow')}"
request = Request(url, headers={"X-API-Key": os.environ["TWMD_API_KEY"]})
with urlopen(request) as answer:
    rows = pl.read_ipc_stream(answer.read())
print(rows)
`

const r = (read: SampledRead): string => `# install.packages(c("arrow", "httr2"))
library(arrow, warn.conflicts = FALSE)
library(httr2)

url <- "${addressOf(read, 'arrow')}"
answer <- request(url) |>
  req_headers_redacted("X-API-Key" = Sys.getenv("TWMD_API_KEY")) |>
  req_perform()
rows <- as.data.frame(read_ipc_stream(resp_body_raw(answer)))
print(rows)
`

const typescript = (read: SampledRead): string => `const url = '${addressOf(read)}'
const answer = await fetch(url, { headers: { 'x-api-key': process.env.TWMD_API_KEY! } })
const body = await answer.json()
if (!answer.ok) throw new Error(body.error.error_message)
const rows: readonly Row[] = body.data ?? body.envelope.data
console.table(rows)

interface Row {
${read.columns.map(({ name, type }) => `  readonly ${name}: ${TYPESCRIPT[type]}`).join('\n')}
}
`

const TYPESCRIPT: Readonly<Record<SchemaColumn['type'], string>> = {
  text: 'string | null',
  date: 'string | null',
  timestamp: 'string | null',
  number: 'number | null',
  integer: 'number | null',
  boolean: 'boolean | null',
  json: 'unknown',
}

const M_TYPE: Readonly<Record<SchemaColumn['type'], string>> = {
  text: 'type text',
  date: 'type date',
  timestamp: 'type datetimezone',
  number: 'type number',
  integer: 'Int64.Type',
  boolean: 'type logical',
  json: 'type text',
}

/**
 * Returns a string literal of M, the language of Power Query. `#(` must be escaped, because it
 * starts a character code. Quotation marks are doubled.
 */
const quotedM = (text: string): string => `"${text.replaceAll('"', '""').replaceAll('#(', '#(#)(')}"`

function excel({ origin, path, query, columns }: SampledRead): string {
  const sent = new URLSearchParams(urlOf({ path: '', query }).slice(1))
  const fields = [...sent, ['format', 'csv'], ['bom', 'true']].map(([name, value]) => `#"${name}" = ${quotedM(value!)}`)
  const types = columns.map(({ name, type }) => `            {${quotedM(name)}, ${M_TYPE[type]}}`)
  return `// Name a cell TWMD_API_KEY and enter your key there. Then: Data, Get Data, From Other Sources, Blank Query, Advanced Editor.
// If Excel shows a sign-in dialog, choose Anonymous: the key is sent in a header.
let
    Key = Text.From(Excel.CurrentWorkbook(){[Name = "TWMD_API_KEY"]}[Content]{0}[Column1]),
    Answer = Web.Contents(
        ${quotedM(origin)},
        [
            RelativePath = ${quotedM(path.slice(1))},
            Query = [${fields.join(', ')}],
            Headers = [#"X-API-Key" = Key],
            ManualStatusHandling = {400, 402, 404, 406, 422}
        ]
    ),
    Status = Value.Metadata(Answer)[Response.Status],
    Lines = if Status < 400 then Answer else error Error.Record("twmd", Json.Document(Answer)[error][error_message]),
    Read = Table.PromoteHeaders(
        Csv.Document(Lines, [Delimiter = ",", Encoding = 65001, QuoteStyle = QuoteStyle.Csv]),
        [PromoteAllScalars = true]
    ),
    Rows = Table.TransformColumnNames(Read, each Text.TrimStart(_, "#(FEFF)")),
    Typed = Table.TransformColumnTypes(
        Table.ReplaceValue(Rows, "", null, Replacer.ReplaceValue, Table.ColumnNames(Rows)),
        {
${types.join(',\n')}
        },
        "en-US"
    )
in
    Typed
`
}

/** Returns the sample for DuckDB. The function `getenv` exists only in DuckDB's command line. */
const duckdb = (read: SampledRead): string => `-- For DuckDB's command line; in other clients replace getenv('TWMD_API_KEY') with the key.
INSTALL httpfs;
LOAD httpfs;
CREATE OR REPLACE SECRET twmd (
  TYPE http,
  SCOPE '${read.origin}',
  EXTRA_HTTP_HEADERS MAP {'X-API-Key': getenv('TWMD_API_KEY')}
);
SET force_download = true;
FROM read_parquet('${addressOf(read, 'parquet').replaceAll("'", "''")}');
`
