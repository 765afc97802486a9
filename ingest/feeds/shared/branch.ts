import type { Row } from '../../../catalog/index.ts'
import { dayOrNull, textCell, tidyOrNull } from '../../formats/index.ts'
import { brokerCode, brokerNameKey, fallbackParentCode, isFallbackCode, splitBranchName } from './broker-name.ts'

export interface HeadOffice {
  readonly code: string
  readonly name: string
}

export interface BranchSource {
  readonly provider: string
  readonly role: string
  readonly family: string
  readonly publication: string
}

type Listed = Readonly<Record<string, unknown>>

export const headOfficesOf = (rows: readonly Listed[]): ReadonlyMap<string, HeadOffice> =>
  new Map(
    rows
      .map(row => ({ code: textCell(row, '證券商代號'), name: textCell(row, '證券商名稱') }))
      .filter(({ name }) => splitBranchName(name) === undefined)
      .map(office => [brokerNameKey(office.name), office]),
  )

const provenance = ({ provider, role, family }: BranchSource) => ({ source_provider: provider, source_role: role, source_family: family })

type Guess = NonNullable<ReturnType<typeof splitBranchName>>

const lineageOf = (row: Listed, guess: Guess, parent: HeadOffice, source: BranchSource, listed: string | null) => ({
  emitter: 'twse_broker_branches',
  open_date: dayOrNull(row['開業日'], '開業日'),
  branch_code: brokerCode(row['證券商代號']),
  broker_code: parent.code,
  source_date: dayOrNull(row['出表日期'], '出表日期') ?? listed,
  ...provenance(source),
  raw_branch_name: textCell(row, '證券商名稱'),
  broker_id_source: isFallbackCode(parent.code) ? 'fallback_key' : 'same_file_head_office',
  source_canonical: source.publication,
  branch_name_guess: guess.branch,
  broker_name_guess: guess.firm,
})

/**
 * Returns the row of a branch, undefined for a head office. Codes are case-sensitive: 585B and 585b
 * are two branches.
 */
export function branchRow(
  row: Listed,
  offices: ReadonlyMap<string, HeadOffice>,
  source: BranchSource,
  listed: string | null,
): Row | undefined {
  const guess = splitBranchName(textCell(row, '證券商名稱'))
  if (guess === undefined) return undefined
  const key = brokerNameKey(guess.firm)
  const parent = offices.get(key) ?? { code: fallbackParentCode(key), name: key }
  const address = tidyOrNull(row['地址'])
  return {
    parent_broker_code: parent.code,
    parent_broker_name: parent.name,
    branch_code: brokerCode(row['證券商代號']),
    branch_name: guess.branch,
    market: 'TWSE',
    address,
    ...provenance(source),
    source_lineage: lineageOf(row, guess, parent, source, listed),
    data_gaps: [
      ...(address === null ? ['address_missing'] : []),
      ...(isFallbackCode(parent.code) ? ['broker_id_unresolved_fallback_key'] : []),
    ],
  }
}
