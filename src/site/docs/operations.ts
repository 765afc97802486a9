import type { Words } from '../../core/index.ts'
import type { Endpoint, Group } from '../../http/kernel/index.ts'
import { type DescribedRoute, type Documented, GROUPS, type OpenApi, referencePath } from '../../http/openapi/index.ts'

export interface Entry extends Documented {
  readonly address: string
  readonly group: Group
  readonly summary: Words
  /** English text without the summary. May be empty. */
  readonly description: string
  readonly endpoint: Endpoint
}

export interface EntryGroup {
  readonly group: Group
  readonly address: string
  readonly title: Words
  readonly says: Words
  readonly entries: readonly Entry[]
}

const IN_CHINESE: Readonly<Record<Group, readonly [en: string, zh: string, says: string]>> = {
  datasets: ['Datasets', '資料集', '各資料集的資料列與外層欄位。'],
  tables: ['Tables and files', '資料表與檔案', '整個版本：檔案與其清單，以及供 Delta Sharing 讀取的 Delta 資料表。'],
  catalog: ['Catalog', '目錄', '有哪些資料、更新時效與完整程度、變更內容與價格。'],
  search: ['Search and queries', '搜尋與查詢', '尋找代號、資料集與欄位；依歷史時點查詢單一欄位。'],
  account: ['Account', '帳戶', '金鑰的權限、用量與帳單。'],
  self_serve: ['Signing in and keys', '登入與金鑰', '登入、金鑰管理與關閉帳戶。'],
  webhooks: ['Webhook endpoints', 'Webhook 端點', '接收新資料通知的端點、傳送紀錄與密鑰。'],
  billing: ['Billing', '付款', '結帳、金流服務與訂閱的金鑰。'],
  administration: ['Administration', '管理', '供服務的營運者使用。'],
  service: ['Service', '服務', '健康檢查、服務資訊與 API 描述文件。'],
}

export function groupsOf(described: readonly DescribedRoute[], { paths }: OpenApi): readonly EntryGroup[] {
  const entries = described.map(({ method, path, endpoint }): Entry => {
    const operation = paths[path]![method.toLowerCase()]!
    const { summary: en, summaryZh: zh, description = '', group } = endpoint
    return { method, path, operation, endpoint, group, summary: { en, zh }, description, address: referencePath(operation) }
  })
  return (Object.keys(GROUPS) as readonly Group[])
    .map(group => {
      const [en, zh, says] = IN_CHINESE[group]
      const members = entries.filter(entry => entry.group === group)
      return {
        group,
        address: referencePath({ tags: [group] }),
        title: { en, zh },
        says: { en: GROUPS[group], zh: says },
        entries: members,
      }
    })
    .filter(({ entries }) => entries.length > 0)
}
