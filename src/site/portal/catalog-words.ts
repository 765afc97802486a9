import type { ColumnType, Unit } from '../../../catalog/index.ts'
import type { Words } from '../../core/index.ts'
import type { Language } from './shell.ts'

const TYPE: Readonly<Record<ColumnType, string>> = {
  text: '文字',
  date: '日期',
  timestamp: '時間',
  number: '數值',
  integer: '整數',
  boolean: '是否',
  json: 'JSON',
}

const UNIT: Readonly<Record<Unit, string>> = {
  percent: '%',
  ratio: '比率',
  shares: '股',
  days: '日',
  years: '年',
  TWD: '元',
  'TWD thousand': '千元',
  'TWD per share': '元／股',
  'index points': '點',
  contracts: '口',
  lots: '張',
  depth: '層級',
}

export const typeText = (type: ColumnType, language: Language): string => (language === 'en' ? type : TYPE[type])

export const unitText = (unit: Unit | null, language: Language): string | null => (unit === null || language === 'en' ? unit : UNIT[unit])

export const FAMILIES: readonly { readonly family: string; readonly words: Words }[] = [
  { family: 'market_structure', words: { en: 'Market and reference', zh: '行情與基本資料' } },
  { family: 'capital_flows', words: { en: 'Capital flows', zh: '籌碼' } },
  { family: 'financial_statements', words: { en: 'Financial statements', zh: '財務報表' } },
  { family: 'companies_events', words: { en: 'Company events', zh: '公司事件' } },
  { family: 'macroeconomics', words: { en: 'Macroeconomics', zh: '總體經濟' } },
]
