import { fieldsOf } from '../../catalog/index.ts'
import type { CatalogStateDeps } from '../coverage/index.ts'
import type { QueryDeps, SearchDeps, SqlDeps } from '../operations/index.ts'
import type { Tool } from './tool.ts'
import { describeDatasetTool } from './tools/describe-dataset.ts'
import { findTool } from './tools/find.ts'
import { getFieldsTool } from './tools/get-fields.ts'
import { getRowsTool, type RowsDeps } from './tools/get-rows.ts'
import { runSqlTool } from './tools/run-sql.ts'
import { type NewsDeps, whatsNewTool } from './tools/whats-new.ts'

export type AgentToolsDeps = SearchDeps & QueryDeps & SqlDeps & RowsDeps & NewsDeps & CatalogStateDeps

export function createAgentTools(deps: AgentToolsDeps): readonly Tool[] {
  const fields = fieldsOf(deps.catalog.values())
  const isFree = deps.served === null
  return [
    findTool(deps, isFree),
    describeDatasetTool(deps, fields),
    getRowsTool(deps, isFree),
    getFieldsTool(deps, fields, isFree),
    ...(deps.sql ? [runSqlTool(deps, isFree)] : []),
    whatsNewTool(deps),
  ]
}
