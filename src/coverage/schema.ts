import {
  type Column,
  type ColumnType,
  type Dataset,
  type JsonShape,
  rangeColumns,
  ruleColumns,
  ruleStatement,
  ruleStatementZh,
  schemaHash,
  sentShape,
  versionOf,
} from '../../catalog/index.ts'
import { asOfOf } from './datasets.ts'

/** Nested columns are not included. */
const ARROW: Readonly<Record<ColumnType, string>> = {
  text: 'utf8',
  date: 'date32[day]',
  timestamp: 'timestamp[us, tz=Asia/Taipei]',
  number: 'float64',
  integer: 'int64',
  boolean: 'bool',
  json: 'utf8',
}

function nestedName(shape: JsonShape): string {
  if (typeof shape === 'string') return ARROW[shape]
  if ('list' in shape) return `list<item: ${nestedName(shape.list)}>`
  const members = Object.entries(shape.members).map(([name, member]) => `${name}: ${nestedName(member)}`)
  return `struct<${members.join(', ')}>`
}

function arrowType(column: Column): string {
  const shape = sentShape(column)
  return shape === undefined ? ARROW[column.type] : nestedName(shape)
}

/** Body of `/v2/datasets/{dataset_key}/schema`. */
export function schemaView(dataset: Dataset) {
  const filterable = new Set(Object.values(dataset.filters).flatMap(({ column, also }) => [column, also]))
  const ranged = new Set(rangeColumns(dataset))
  return {
    dataset: dataset.id,
    slug: dataset.slug,
    dataset_version: versionOf(dataset),
    schema_hash: schemaHash(dataset),
    grain: dataset.grain,
    partition_by: dataset.key ?? null,
    as_of: asOfOf(dataset),
    columns: Object.entries(dataset.columns).map(([name, column]) => {
      const { type, nullable, unit, zh, doc, docZh, provenance, derived, virtual } = column
      return {
        name,
        type,
        arrow_type: arrowType(column),
        nullable: nullable === true,
        unit: unit ?? null,
        label_zh: zh,
        description: doc,
        description_zh: docZh,
        provenance: provenance === true,
        formula: derived ?? virtual ?? null,
        filterable: filterable.has(name),
        range_filterable: ranged.has(name),
        sortable: dataset.sortable.includes(name),
        example: dataset.example[0]?.[name] ?? null,
      }
    }),
    rules: (dataset.rules ?? []).map(rule => ({
      name: rule.name,
      columns: ruleColumns(rule),
      statement: ruleStatement(rule),
      statement_zh: ruleStatementZh(rule),
      description: rule.doc,
      description_zh: rule.docZh,
      severity: rule.severity ?? ('error' as const),
    })),
  }
}
