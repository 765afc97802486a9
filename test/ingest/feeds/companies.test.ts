import { expect, it } from 'vitest'
import companies from '../../../ingest/feeds/companies.ts'
import { bodyOf, refusalOf, rowsOf } from '../../fixtures/feeds/bodies.ts'

const company = (values: Readonly<Record<string, string>>) => ({
  出表日期: '1150630',
  公司代號: '9901',
  公司名稱: '範例股份有限公司',
  公司簡稱: '範例',
  產業別: '24',
  英文簡稱: 'SAMPLE',
  ...values,
})
const named = (...list: readonly Readonly<Record<string, string>>[]) =>
  rowsOf(companies.parse(bodyOf(JSON.stringify(list.map(company))), undefined), 'company-names')

it('the company register gives each company its short names and the day of the list', () => {
  expect(named({})).toEqual([
    { ticker: '9901', name: '範例', english_name: 'SAMPLE', as_of_date: '2026-06-30', source_name: 'mops_company_register' },
  ])
})

it("a company's English name is null for a blank or a dash", () => {
  const english = ['', ' ', '-', '－'].map(text => named({ 英文簡稱: text })[0]!['english_name'])
  expect(english).toEqual([null, null, null, null])
})

it('the company register is read as CSV', () => {
  const text = '出表日期,公司代號,公司簡稱,英文簡稱\n1150630,9902,範二,"Two, Inc."\n'
  expect(rowsOf(companies.parse(bodyOf(text), undefined), 'company-names')).toMatchObject([{ ticker: '9902', english_name: 'Two, Inc.' }])
})

it('the company register of TPEx is read with its English headings', () => {
  const listed = { Date: '1150630', SecuritiesCompanyCode: '9903', CompanyName: '範三股份有限公司', CompanyAbbreviation: '範三' }
  const rows = [
    { ...listed, Symbol: 'THREE　' },
    { ...listed, SecuritiesCompanyCode: '9904', Symbol: '－' },
  ]
  expect(rowsOf(companies.parse(bodyOf(JSON.stringify(rows)), undefined), 'company-names')).toEqual([
    { ticker: '9903', name: '範三', english_name: 'THREE', as_of_date: '2026-06-30', source_name: 'mops_company_register' },
    { ticker: '9904', name: '範三', english_name: null, as_of_date: '2026-06-30', source_name: 'mops_company_register' },
  ])
  expect(() => companies.parse(bodyOf(JSON.stringify([listed])), undefined)).toThrow('Symbol')
})

it('the company register is refused for an impossible day or another table', () => {
  expect(refusalOf(companies, bodyOf(JSON.stringify([company({ 出表日期: '1150631' })]))).rule).toBe('impossible_date')
  expect(() => companies.parse(bodyOf(JSON.stringify([{ 公司代號: '9901' }])), undefined)).toThrow('t187ap03')
})
